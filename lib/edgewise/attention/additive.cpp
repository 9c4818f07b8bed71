#include "edgewise/attention/additive.hpp"

#include <cstring>

#include "edgewise/attention/detail/softmax_rows.hpp"

namespace edgewise::attention {
namespace {

using namespace detail;

/// scores[e, h] = LeakyReLU(own[h] + others[nodes[e], h] + edge term); the same from either end of the edges.
template <int kHeads, class SlotOf>
void additive_scores(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const float* own,
                     const float* others, const Node* nodes, int count, SlotOf slot_of, float* scores) {
  const int heads = inputs.heads;
  gather_heads<kHeads>(others, nodes, count, heads, scores);
  for_each_vector<kHeads>(own, count, heads,
                          [&](int i, Float8 by) { simd::store(scores + i, simd::load(scores + i) + by); });
  if (inputs.edge_weight != nullptr) {
    const Matrix& features = graph.edge_features;
    for (int e = 0; e < count; ++e)
      for (Eigen::Index f = 0; f < features.cols(); ++f) {
        const float feature = features(static_cast<Eigen::Index>(slot_of(e)), f);
        for (int h = 0; h < heads; ++h) scores[e * heads + h] += feature * inputs.edge_weight[f * heads + h];
      }
  }
}

void leaky_relu_in_place(float* values, int count, float slope) {
  for (int i = 0; i < count; i += simd::kLanes) {
    const Float8 x = simd::load(values + i);
    simd::store(values + i, x > 0.0F ? x : slope * x);
  }
}

/// gradients *= LeakyReLU'(x), the sign of x being that of LeakyReLU(x).
void through_leaky_relu(float* gradients, const float* activated, int count, float slope) {
  for (int i = 0; i < count; i += simd::kLanes) {
    const Float8 gradient = simd::load(gradients + i);
    simd::store(gradients + i, simd::load(activated + i) > 0.0F ? gradient : slope * gradient);
  }
}

/// table[slots[e], h] = values[e, h]
template <int kHeads>
void scatter_heads(const float* values, const graph::StoredEdge* slots, int count, int heads, float* table) {
  const auto columns = static_cast<EdgeIndex>(kHeads > 0 ? kHeads : heads);
  for (int e = 0; e < count; ++e, values += columns)
    std::memcpy(table + slots[e] * columns, values, columns * sizeof(float));
}

/// sum[h] += table[slot, h] of all slots.
template <int kHeads>
void sum_slots(const float* table, RowSlots slots, int heads, float* sum) {
  const int columns = kHeads > 0 ? kHeads : heads;
  HeadValues total;
  std::copy_n(sum, columns, total.data());
  for (EdgeIndex slot = slots.begin; slot < slots.end; ++slot)
    for (int h = 0; h < columns; ++h) total[h] += table[slot * static_cast<EdgeIndex>(columns) + static_cast<EdgeIndex>(h)];
  std::copy_n(total.data(), columns, sum);
}

/// What both passes read, with the two ends of an edge told apart only here.
template <int kHeads>
struct Kernel {
  const graph::FrozenGraph& graph;
  const AdditiveInputs& inputs;
  HeadShape shape{inputs.heads, inputs.width};

  const float* destination_score(Node node) const {
    return inputs.destination_score + static_cast<std::size_t>(node) * inputs.heads;
  }
  const float* source_score(Node node) const {
    return inputs.source_score + static_cast<std::size_t>(node) * inputs.heads;
  }
  GatheredRows values(EdgeIndex slot) const {
    return {inputs.value, graph.incoming.columns.data() + slot, shape.columns()};
  }
  void incoming_scores(Node destination, EdgeIndex slot, int count, float* scores) const {
    additive_scores<kHeads>(graph, inputs, destination_score(destination), inputs.source_score,
                    graph.incoming.columns.data() + slot, count,
                    [slot](int e) { return slot + static_cast<EdgeIndex>(e); }, scores);
    leaky_relu_in_place(scores, count * inputs.heads, inputs.negative_slope);
  }
  void outgoing_scores(Node source, EdgeIndex position, int count, float* scores) const {
    additive_scores<kHeads>(graph, inputs, source_score(source), inputs.destination_score,
                    graph.outgoing.columns.data() + position, count,
                    [this, position](int e) { return graph.outgoing_slot[position + static_cast<EdgeIndex>(e)]; },
                    scores);
    leaky_relu_in_place(scores, count * inputs.heads, inputs.negative_slope);
  }
};

/// Fills statistics.dot.
void fill_dots(const graph::FrozenGraph& graph, const HeadShape& shape, const float* output,
               const float* output_gradient, const RowStatistics& statistics) {
  for_each_row(graph.incoming, graph.incoming_chunks, [&](Node row, RowSlots, std::size_t) {
    const std::size_t at = static_cast<std::size_t>(row) * shape.columns();
    row_dot(shape, output_gradient + at, output + at, statistics.dot + static_cast<std::size_t>(row) * shape.heads);
  });
}

/// Gradients of the source scores and the values; leaves the gradient of every score in `score_gradients`.
template <int kHeads>
void source_pass(const Kernel<kHeads>& kernel, const DropoutMask& mask, const float* output_gradient,
                 const RowStatistics& statistics, float* score_gradients, const AdditiveGradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const graph::FrozenGraph& graph = kernel.graph;
  const int heads = shape.heads;
  for_each_row(graph.outgoing, graph.outgoing_chunks, [&](Node row, RowSlots positions, std::size_t) {
    const std::size_t at = static_cast<std::size_t>(row) * shape.columns();
    const auto output_gradients = [&](EdgeIndex position) {
      return GatheredRows{output_gradient, graph.outgoing.columns.data() + position, shape.columns()};
    };
    PieceScores activated;
    differentiate_column<kHeads>(
        shape, graph, positions, mask, statistics,
        [&](EdgeIndex position, int count, float* scores) {
          kernel.outgoing_scores(row, position, count, scores);
          std::copy_n(scores, count * heads, activated.data());
        },
        [&](EdgeIndex position, int count, float* weight_gradients) {
          dot_rows(shape, kernel.inputs.value + at, output_gradients(position), count, weight_gradients);
        },
        [&](EdgeIndex position, int count, const float* weights, float* piece_gradients) {
          if (gradients.value != nullptr)
            add_weighted_rows(shape, weights, output_gradients(position), count, gradients.value + at);
          through_leaky_relu(piece_gradients, activated.data(), count * heads, kernel.inputs.negative_slope);
          if (gradients.source_score != nullptr)
            add_columns<kHeads>(piece_gradients, count, heads,
                                gradients.source_score + static_cast<std::size_t>(row) * heads);
          scatter_heads<kHeads>(piece_gradients, graph.outgoing_slot.data() + position, count, heads, score_gradients);
        });
  });
}

/// Gradients of the destination scores and the edge weight, from those of the scores.
template <int kHeads>
void destination_pass(const graph::FrozenGraph& graph, int heads, const float* score_gradients, float* partials,
                      const AdditiveGradients& gradients) {
  const Matrix& features = graph.edge_features;
  for_each_row(graph.incoming, graph.incoming_chunks, [&](Node row, RowSlots slots, std::size_t chunk) {
    if (gradients.destination_score != nullptr)
      sum_slots<kHeads>(score_gradients, slots, heads,
                        gradients.destination_score + static_cast<std::size_t>(row) * heads);
    if (gradients.edge_weight == nullptr) return;
    for (EdgeIndex slot = slots.begin; slot < slots.end; ++slot) {
      const float* gradient = score_gradients + slot * static_cast<EdgeIndex>(heads);
      float* partial = partials + chunk * static_cast<std::size_t>(features.cols() * heads);
      for (Eigen::Index f = 0; f < features.cols(); ++f)
        for (int h = 0; h < heads; ++h)
          partial[f * heads + h] += features(static_cast<Eigen::Index>(slot), f) * gradient[h];
    }
  });
}

}  // namespace

void additive_forward(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const WeightDropout& dropout,
                      float* output, float* log_sum_exp, float* weights) {
  const DropoutMask mask(dropout);
  with_constant_heads(inputs.heads, [&](auto heads) {
    const Kernel<heads> kernel{graph, inputs};
    const HeadShape& shape = kernel.shape;
    for_each_row(graph.incoming, graph.incoming_chunks, [&](Node row, RowSlots slots, std::size_t) {
      float* out = output + static_cast<std::size_t>(row) * shape.columns();
      float* row_log_sum_exp = log_sum_exp + static_cast<std::size_t>(row) * shape.heads;
      const auto scores = [&](EdgeIndex slot, int count, float* piece) {
        kernel.incoming_scores(row, slot, count, piece);
      };
      std::fill_n(out, shape.columns(), 0.0F);
      attend_row<heads>(
          shape, slots, mask, row_log_sum_exp, scores,
          [&](EdgeIndex slot, int count, const float* piece) {
            add_weighted_rows(shape, piece, kernel.values(slot), count, out);
          },
          [&](const float* factors) { scale_heads(shape, factors, out); });
      if (weights != nullptr) weights_of_row(shape, slots, row_log_sum_exp, weights, scores);
    });
  });
}

void additive_backward(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const WeightDropout& dropout,
                       const float* output, const float* output_gradient, const RowStatistics& statistics,
                       float* score_gradients, float* partials, const AdditiveGradients& gradients) {
  const DropoutMask mask(dropout);
  const std::size_t chunks = graph.incoming_chunks.size() - 1;
  const auto partial_columns = static_cast<std::size_t>(graph.edge_features.cols() * inputs.heads);
  if (gradients.edge_weight != nullptr) std::fill_n(partials, chunks * partial_columns, 0.0F);
  fill_dots(graph, {inputs.heads, inputs.width}, output, output_gradient, statistics);
  with_constant_heads(inputs.heads, [&](auto heads) {
    source_pass<heads>({graph, inputs}, mask, output_gradient, statistics, score_gradients, gradients);
    destination_pass<heads>(graph, inputs.heads, score_gradients, partials, gradients);
  });
  if (gradients.edge_weight != nullptr) add_partials(partials, chunks, partial_columns, gradients.edge_weight);
}

}  // namespace edgewise::attention
