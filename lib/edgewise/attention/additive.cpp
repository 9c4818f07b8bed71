#include "edgewise/attention/additive.hpp"

#include "edgewise/attention/detail/softmax_rows.hpp"
#include "edgewise/attention/detail/stored_rows.hpp"

namespace edgewise::attention {
namespace {

using namespace detail;

/// values[i] = LeakyReLU(values[i])
[[gnu::flatten]] void leaky_relu_in_place(float* values, int count, float slope) {
  for_each_native(count, [&](int i) {
    const simd::Native x = load_native(values + i);
    simd::store_as(values + i, x > 0.0F ? x : slope * x);
  });
}

/// gradients *= LeakyReLU'(x), the sign of x being that of LeakyReLU(x).
[[gnu::flatten]] void through_leaky_relu(float* gradients, const float* activated, int count, float slope) {
  for_each_native(count, [&](int i) {
    const simd::Native gradient = load_native(gradients + i);
    simd::store_as(gradients + i, load_native(activated + i) > 0.0F ? gradient : slope * gradient);
  });
}

/// What both passes read.
template <Layout kLayout, Storage kStorage>
struct Kernel : EdgeEnds {
  static constexpr int kHeads = kLayout.heads;

  const AdditiveInputs& inputs;
  StoredTables tables;  ///< As they are gathered.
  StoredTables own;     ///< As the rows of a piece read their own.

  GatheredRows<kStorage> from_sources(const float* table, EdgeIndex slot) const {
    return sources<kStorage>(table).from(slot);
  }
  GatheredRows<kStorage> from_destinations(const float* table, EdgeIndex position) const {
    return destinations<kStorage>(table).from(position);
  }

  GatheredRows<kStorage> own_rows(const float* table, const Piece& piece) const {
    return EdgeEnds::own<kStorage>(table, piece);
  }

  /// out[e, h] = source_score + destination_score
  void add_heads(const Node* from, const Node* to, int count, float* out) const {
    PieceScores of_destinations;
    gather_heads<kHeads>(inputs.source_score, from, count, shape.heads, out);
    gather_heads<kHeads>(inputs.destination_score, to, count, shape.heads, of_destinations.data());
    for_each_native(count * shape.heads, [&](int i) {
      simd::store_as(out + i, load_native(out + i) + load_native(of_destinations.data() + i));
    });
  }
  /// scores[e, h] = LeakyReLU(source_score + destination_score + edge term)
  template <class SlotOf>
  void scores(const Node* from, const Node* to, int count, SlotOf slot_of, float* out) const {
    int e = 0;
    if constexpr (kHeads > 1) {
      constexpr int kEdges = simd::kNativeLanes / kHeads;
      for (; e + kEdges <= count; e += kEdges)
        simd::store_as(out + e * kHeads, gather_vector<kHeads>(inputs.source_score, from + e) +
                                             gather_vector<kHeads>(inputs.destination_score, to + e));
    }
    add_heads(from + e, to + e, count - e, out + e * shape.heads);
    if (inputs.edge_weight != nullptr) add_edge_terms(count, slot_of, out);
    leaky_relu_in_place(out, count * shape.heads, inputs.negative_slope);
  }
  template <class SlotOf>
  void add_edge_terms(int count, SlotOf slot_of, float* out) const {
    const Matrix& features = graph.edge_features;
    for (int e = 0; e < count; ++e, out += shape.heads)
      for (Eigen::Index f = 0; f < features.cols(); ++f) {
        const float feature = features(static_cast<Eigen::Index>(slot_of(e)), f);
        for (int h = 0; h < shape.heads; ++h) out[h] += feature * inputs.edge_weight[f * shape.heads + h];
      }
  }
  void incoming_scores(const Piece& piece, float* out) const {
    scores(graph.incoming.columns.data() + piece.slot, piece.row_of, piece.count,
           incoming_slots(piece.slot), out);
  }
  void outgoing_scores(const Piece& piece, float* out) const {
    scores(piece.row_of, graph.outgoing.columns.data() + piece.slot, piece.count,
           outgoing_slots(piece.slot), out);
  }
};

/// The part's share of the positive part of its row.
template <Layout kLayout, Storage kStorage>
void sum_positive_part(const Kernel<kLayout, kStorage>& kernel, const PositivePart& positive, const RowPart& part,
                       const PartWeights& of_part, const GatheredRows<kStorage>& values,
                       const RowSoftmax<kLayout.heads>& softmax) {
  const int heads = kernel.shape.heads;
  float* weight = positive.weight + static_cast<std::size_t>(part.row) * static_cast<std::size_t>(heads);
  PieceScores kept;
  const auto keep = [&](const float* weights) {
    for (int i = 0; i < part.count * heads; ++i) kept[i] = of_part.scores[i] > 0 ? weights[i] : 0;
  };
  keep(of_part.weights);
  for (int h = 0; h < heads && !part.is_first; ++h) weight[h] *= softmax.rescale()[h];
  RowValues<kLayout.heads>(kept.data(), part.count, heads).add_columns(part.is_first, weight);
  for (int h = 0; h < heads && part.is_last; ++h) weight[h] *= softmax.inverse_sums(part.index)[h];
  if (of_part.dropped != of_part.weights) keep(of_part.dropped);
  sum_part<kLayout>(kernel.shape, part, kept.data(), values, softmax, positive.output + kernel.offset(part.row));
}

template <bool kHasPositive, Layout kLayout, Storage kStorage>
void forward(const Kernel<kLayout, kStorage>& kernel, const DropoutMask& mask, float* output, float* log_sum_exp,
             const PositivePart& positive) {
  attend_rows<kLayout.heads, kHasPositive>(
      kernel.shape, kernel.incoming(), mask, log_sum_exp,
      [&](const Piece& piece, float* scores) { kernel.incoming_scores(piece, scores); },
      [&](const RowPart& part, const PartWeights& of_part, const RowSoftmax<kLayout.heads>& softmax) {
        const auto values = kernel.from_sources(kernel.tables.value, part.slot);
        sum_part<kLayout>(kernel.shape, part, of_part.dropped, values, softmax, output + kernel.offset(part.row));
        if constexpr (kHasPositive) sum_positive_part(kernel, positive, part, of_part, values, softmax);
      });
}

/// Fills statistics.dot, and the gradient of the destination scores: of all edges (1 - slope) times that of the
/// positive ones, as the gradients of the scores of a row add up to 0.
template <Layout kLayout, Storage kStorage>
void destination_pass(const Kernel<kLayout, kStorage>& kernel, const float* output, const RowStatistics& statistics,
                      const PositivePart& positive, float* gradients) {
  const HeadShape& shape = kernel.shape;
  const float scale = 1 - kernel.inputs.negative_slope;
  const auto rows = kernel.graph.destination_count();
  parallel_for(rows, static_cast<std::size_t>(shape.piece()), [&](std::size_t begin, std::size_t end) {
    const auto count = static_cast<int>(end - begin);
    const auto heads = static_cast<std::size_t>(shape.heads);
    const float* output_gradient = kernel.tables.output_gradient;
    dot_of_rows<kLayout, kStorage>(shape, begin, count, output, output_gradient, statistics.dot + begin * heads);
    if (gradients == nullptr) return;
    PieceScores of_positive;
    dot_of_rows<kLayout, kStorage>(shape, begin, count, positive.output, output_gradient, of_positive.data());
    for (std::size_t i = begin * heads; i < end * heads; ++i)
      gradients[i] += scale * (of_positive[static_cast<int>(i - begin * heads)] -
                               statistics.dot[i] * positive.weight[i]);
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
template <Layout kLayout, Storage kStorage>
void source_pass(const Kernel<kLayout, kStorage>& kernel, const DropoutMask& mask, const RowStatistics& statistics,
                 float* partials, const AdditiveGradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const graph::FrozenGraph& graph = kernel.graph;
  const int heads = shape.heads;
  const auto partial_columns = static_cast<std::size_t>(graph.edge_features.cols() * heads);
  differentiate_columns<kLayout.heads, true>(
      kernel, mask, statistics, 1,
      [&](const Piece& piece, float* scores) { kernel.outgoing_scores(piece, scores); },
      [&](const Piece& piece, float* weight_gradients) {
        dot_rows<kLayout>(shape, kernel.own_rows(kernel.own.value, piece),
                          kernel.from_destinations(kernel.tables.output_gradient, piece.slot), 1, piece.count,
                          weight_gradients);
      },
      [&](const Piece& piece, const float* activated, float* score_gradients) {
        through_leaky_relu(score_gradients, activated, piece.count * heads, kernel.inputs.negative_slope);
      },
      [&](const RowPart& part, const float* weights, float* score_gradients, std::size_t chunk) {
        if (gradients.value != nullptr)
          sum_rows<kLayout, Start::present>(shape, weights, kernel.from_destinations(kernel.tables.output_gradient, part.slot),
                                            part.count, nullptr, gradients.value + kernel.offset(part.row));
        if (gradients.source_score != nullptr)
          RowValues<kLayout.heads>(score_gradients, part.count, heads)
              .add_columns(false, gradients.source_score + static_cast<std::size_t>(part.row) * heads);
        if (gradients.edge_weight != nullptr)
          add_edge_gradients(graph, part.slot, part.count, heads, score_gradients, partials + chunk * partial_columns);
      });
}

/// Calls `body` with the kernel that fits the inputs.
template <class Body>
void with_kernel(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const float* output_gradient,
                 Body&& body) {
  const HeadShape shape(inputs.heads, inputs.width);
  const StoredTables tables{.value = inputs.value, .output_gradient = output_gradient};
  const bool has_partials = inputs.edge_weight != nullptr;  // sums of the chunks
  const EdgeEnds ends = has_partials ? EdgeEnds{graph, shape} : ends_in_blocks(shape, graph, inputs.storage);
  with_stored<true>(shape, graph, inputs.storage, tables, [&]<Layout kLayout, Storage kStorage>(const StoredTables& rows) {
    body(Kernel<kLayout, kStorage>{ends, inputs, rows, own_tables<kStorage>(tables, rows)});
  });
}

}  // namespace

void additive_forward(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const WeightDropout& dropout,
                      float* output, float* log_sum_exp, const PositivePart& positive, float* weights) {
  with_kernel(graph, inputs, nullptr, [&](const auto& kernel) {
    const DropoutMask mask(dropout.probability, dropout.key);
    if (positive.output == nullptr)
      forward<false>(kernel, mask, output, log_sum_exp, positive);
    else
      forward<true>(kernel, mask, output, log_sum_exp, positive);
    if (weights == nullptr) return;
    weights_of_rows(kernel.shape, kernel.incoming(), log_sum_exp, weights,
                    [&](const Piece& piece, float* scores) { kernel.incoming_scores(piece, scores); });
  });
}

void additive_backward(const graph::FrozenGraph& graph, const AdditiveInputs& inputs, const WeightDropout& dropout,
                       const float* output, const float* output_gradient, const RowStatistics& statistics,
                       const PositivePart& positive, float* partials, const AdditiveGradients& gradients) {
  const DropoutMask mask(dropout.probability, dropout.key);
  const std::size_t chunks = graph.outgoing_chunks.size() - 1;
  const auto partial_columns = static_cast<std::size_t>(graph.edge_features.cols() * inputs.heads);
  if (gradients.edge_weight != nullptr) std::fill_n(partials, chunks * partial_columns, 0.0F);
  with_kernel(graph, inputs, output_gradient, [&](const auto& kernel) {
    destination_pass(kernel, output, statistics, positive, gradients.destination_score);
    source_pass(kernel, mask, statistics, partials, gradients);
  });
  if (gradients.edge_weight != nullptr) add_partials(partials, chunks, partial_columns, gradients.edge_weight);
}

}  // namespace edgewise::attention
