#include "edgewise/attention/additive.hpp"

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

/// Sums the positive part of one destination beside its output.
template <int kHeads>
class PositiveSums {
 public:
  PositiveSums(const HeadShape& shape, const PositivePart& part, Node row)
      : shape_(shape),
        output_(part.output + static_cast<std::size_t>(row) * static_cast<std::size_t>(shape.columns())),
        weight_(part.weight + static_cast<std::size_t>(row) * static_cast<std::size_t>(shape.heads)) {
    std::fill_n(output_, shape.columns(), 0.0F);
    std::fill_n(weight_, shape.heads, 0.0F);
  }

  /// Remembers the signs of a piece of scores, before they become weights.
  void mark(const float* scores, int count) {
    for (int i = 0; i < count * shape_.heads; i += simd::kLanes)
      simd::store(is_positive_.data() + i, simd::load(scores + i) > 0.0F ? simd::broadcast(1.0F) : Float8{});
  }

  void add(const float* weights, const float* dropped, const GatheredRows& values, int count) {
    keep_positive(weights, count);
    add_columns<kHeads>(kept_.data(), count, shape_.heads, weight_);
    if (dropped != weights) keep_positive(dropped, count);
    add_weighted_rows(shape_, kept_.data(), values, count, output_);
  }

  void scale(const float* factors) {
    scale_heads(shape_, factors, output_);
    for (int h = 0; h < shape_.heads; ++h) weight_[h] *= factors[h];
  }

 private:
  void keep_positive(const float* weights, int count) {
    for (int i = 0; i < count * shape_.heads; i += simd::kLanes)
      simd::store(kept_.data() + i, simd::load(weights + i) * simd::load(is_positive_.data() + i));
  }

  const HeadShape& shape_;
  float* output_;
  float* weight_;
  PieceScores is_positive_;
  PieceScores kept_;
};

/// One destination of the forward pass.
template <int kHeads, class Scores>
void forward_row(const Kernel<kHeads>& kernel, RowSlots slots, const DropoutMask& mask, const Scores& scores,
                 float* log_sum_exp, float* out) {
  const HeadShape& shape = kernel.shape;
  attend_row<kHeads>(
      shape, slots, mask, log_sum_exp, scores,
      [&](EdgeIndex slot, int count, const float*, const float* weights) {
        add_weighted_rows(shape, weights, kernel.values(slot), count, out);
      },
      [&](const float* factors) { scale_heads(shape, factors, out); });
}

/// The same with the positive part.
template <int kHeads, class Scores>
void forward_row(const Kernel<kHeads>& kernel, RowSlots slots, const DropoutMask& mask, const Scores& scores,
                 float* log_sum_exp, float* out, PositiveSums<kHeads> positive) {
  const HeadShape& shape = kernel.shape;
  attend_row<kHeads>(
      shape, slots, mask, log_sum_exp,
      [&](EdgeIndex slot, int count, float* piece) {
        scores(slot, count, piece);
        positive.mark(piece, count);
      },
      [&](EdgeIndex slot, int count, const float* weights, const float* dropped) {
        add_weighted_rows(shape, dropped, kernel.values(slot), count, out);
        positive.add(weights, dropped, kernel.values(slot), count);
      },
      [&](const float* factors) {
        scale_heads(shape, factors, out);
        positive.scale(factors);
      });
}

/// Fills statistics.dot, and the gradient of the destination scores: of all edges (1 - slope) times that of the
/// positive ones, as the gradients of the scores of a row add up to 0.
void destination_pass(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const float* output,
                      const float* output_gradient, const RowStatistics& statistics, const PositivePart& positive,
                      float* gradients) {
  const HeadShape shape(inputs.heads, inputs.width);
  const int heads = inputs.heads;
  for_each_row(graph.incoming, graph.incoming_chunks, [&](Node row, RowSlots, std::size_t) {
    const std::size_t at = static_cast<std::size_t>(row) * shape.columns();
    const std::size_t head = static_cast<std::size_t>(row) * heads;
    row_dot(shape, output_gradient + at, output + at, statistics.dot + head);
    if (gradients == nullptr) return;
    HeadValues of_positive;
    row_dot(shape, output_gradient + at, positive.output + at, of_positive.data());
    for (int h = 0; h < heads; ++h)
      gradients[head + h] += (1 - inputs.negative_slope) *
                             (of_positive[h] - statistics.dot[head + h] * positive.weight[head + h]);
  });
}

/// partial[f, h] += feature f of each slot * the gradient of its score.
void add_edge_gradients(const graph::FrozenGraph& graph, EdgeIndex position, int count, int heads,
                        const float* score_gradients, float* partial) {
  const Matrix& features = graph.edge_features;
  for (int e = 0; e < count; ++e) {
    const auto slot = static_cast<Eigen::Index>(graph.outgoing_slot[position + static_cast<EdgeIndex>(e)]);
    for (Eigen::Index f = 0; f < features.cols(); ++f)
      for (int h = 0; h < heads; ++h) partial[f * heads + h] += features(slot, f) * score_gradients[e * heads + h];
  }
}

/// Gradients of the source scores, the values and the edge weight.
template <int kHeads>
void source_pass(const Kernel<kHeads>& kernel, const DropoutMask& mask, const float* output_gradient,
                 const RowStatistics& statistics, float* partials, const AdditiveGradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const graph::FrozenGraph& graph = kernel.graph;
  const int heads = shape.heads;
  const auto partial_columns = static_cast<std::size_t>(graph.edge_features.cols() * heads);
  for_each_row(graph.outgoing, graph.outgoing_chunks, [&](Node row, RowSlots positions, std::size_t chunk) {
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
          if (gradients.edge_weight != nullptr)
            add_edge_gradients(graph, position, count, heads, piece_gradients, partials + chunk * partial_columns);
        });
  });
}

}  // namespace

void additive_forward(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const WeightDropout& dropout,
                      float* output, float* log_sum_exp, const PositivePart& positive, float* weights) {
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
      if (positive.output == nullptr)
        forward_row(kernel, slots, mask, scores, row_log_sum_exp, out);
      else
        forward_row(kernel, slots, mask, scores, row_log_sum_exp, out, PositiveSums<heads>(shape, positive, row));
      if (weights != nullptr) weights_of_row(shape, slots, row_log_sum_exp, weights, scores);
    });
  });
}

void additive_backward(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const WeightDropout& dropout,
                       const float* output, const float* output_gradient, const RowStatistics& statistics,
                       const PositivePart& positive, float* partials, const AdditiveGradients& gradients) {
  const DropoutMask mask(dropout);
  const std::size_t chunks = graph.outgoing_chunks.size() - 1;
  const auto partial_columns = static_cast<std::size_t>(graph.edge_features.cols() * inputs.heads);
  if (gradients.edge_weight != nullptr) std::fill_n(partials, chunks * partial_columns, 0.0F);
  destination_pass(graph, inputs, output, output_gradient, statistics, positive, gradients.destination_score);
  with_constant_heads(inputs.heads, [&](auto heads) {
    source_pass<heads>({graph, inputs}, mask, output_gradient, statistics, partials, gradients);
  });
  if (gradients.edge_weight != nullptr) add_partials(partials, chunks, partial_columns, gradients.edge_weight);
}

}  // namespace edgewise::attention
