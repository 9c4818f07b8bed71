#include "edgewise/attention/dot_product.hpp"

#include <cmath>

#include "edgewise/attention/detail/edge_terms.hpp"
#include "edgewise/attention/detail/softmax_rows.hpp"
#include "edgewise/attention/detail/stored_rows.hpp"

namespace edgewise::attention {
namespace {

using namespace detail;

/// What both passes read.
template <Layout kLayout, Storage kStorage>
struct Kernel : EdgeEnds {
  static constexpr int kHeads = kLayout.heads;

  const DotProductInputs& inputs;
  StoredTables tables;  ///< As they are gathered.
  StoredTables own;     ///< As the rows of a piece read their own.
  EdgeTerms edges{graph.edge_features, inputs.edge_weight, shape};
  float scale = 1.0F / std::sqrt(static_cast<float>(inputs.width));

  GatheredRows<kStorage> from_sources(const float* table, EdgeIndex slot) const {
    return sources<kStorage>(table).from(slot);
  }
  GatheredRows<kStorage> from_destinations(const float* table, EdgeIndex position) const {
    return destinations<kStorage>(table).from(position);
  }
  GatheredRows<kStorage> own_rows(const float* table, const Piece& piece) const {
    return EdgeEnds::own<kStorage>(table, piece);
  }

  int bias_features() const { return inputs.edge_bias == nullptr ? 0 : static_cast<int>(graph.edge_features.cols()); }
  EdgeFeatures bias_features_of(EdgeIndex slot) const { return {edges.features_of(slot).values, bias_features()}; }
  /// scores[e, h] += features of slot_of(e) . edge_bias[:, h]
  template <class SlotOf>
  void add_bias(int count, SlotOf slot_of, float* scores) const {
    for (int e = 0; e < count && bias_features() > 0; ++e)
      bias_features_of(slot_of(e)).for_each([&](int f, float feature) {
        for (int h = 0; h < shape.heads; ++h)
          scores[e * shape.heads + h] += feature * inputs.edge_bias[f * shape.heads + h];
      });
  }
  /// gradient[f, h] += over e of score_gradients[e, h] / scale * features of slot + e
  void add_bias_gradient(EdgeIndex slot, int count, const float* score_gradients, float* gradient) const {
    for (int e = 0; e < count && bias_features() > 0; ++e)
      bias_features_of(slot + static_cast<EdgeIndex>(e)).for_each([&](int f, float feature) {
        for (int h = 0; h < shape.heads; ++h)
          gradient[f * shape.heads + h] += feature / scale * score_gradients[e * shape.heads + h];
      });
  }
  /// Scores of the slots of a piece of destinations; `edge_query` is each query times the edge weight.
  void incoming_scores(const Piece& piece, const float* edge_query, float* scores) const {
    const auto slot_of = incoming_slots(piece.slot);
    dot_rows<kLayout>(shape, own_rows(own.query, piece), from_sources(tables.key, piece.slot), scale, piece.count,
                      scores);
    edges.add_products<kHeads>(piece.count, slot_of, piece.row_of, edge_query, scale, scores);
    add_bias(piece.count, slot_of, scores);
  }
  /// Scores of the positions of a piece of sources.
  void outgoing_scores(const Piece& piece, const float* edge_query, float* scores) const {
    const auto slot_of = outgoing_slots(piece.slot);
    dot_rows<kLayout>(shape, own_rows(own.key, piece), from_destinations(tables.query, piece.slot), scale, piece.count,
                      scores);
    edges.add_products<kHeads>(piece.count, slot_of, graph.outgoing.columns.data() + piece.slot, edge_query, scale,
                               scores);
    add_bias(piece.count, slot_of, scores);
  }

  /// Of a chunk's partial sum: the gradient of the edge weight, then that of the bias.
  std::size_t weight_columns() const { return static_cast<std::size_t>(edges.count * shape.columns()); }
  std::size_t bias_columns() const { return static_cast<std::size_t>(bias_features() * shape.heads); }
  std::size_t partial_columns() const { return weight_columns() + bias_columns(); }
};

template <Layout kLayout, Storage kStorage>
void forward(const Kernel<kLayout, kStorage>& kernel, const DropoutMask& mask, float* output, float* log_sum_exp,
             const DotProductEdgeSums& edge_sums, float* weights) {
  const HeadShape& shape = kernel.shape;
  const EdgeTerms& edges = kernel.edges;
  attend_rows<kLayout.heads>(
      shape, kernel.incoming(), mask, log_sum_exp,
      [&](const Piece& piece, float* scores) {
        for (Node row = piece.row; piece.is_first && row < piece.row + static_cast<Node>(piece.rows); ++row)
          edges.project(kernel.inputs.query + kernel.offset(row), edge_sums.query + edges.offset(row));
        kernel.incoming_scores(piece, edge_sums.query, scores);
      },
      [&](const RowPart& part, const PartWeights& of_part, const auto& softmax) {
        float* out = output + kernel.offset(part.row);
        sum_part<kLayout>(shape, part, of_part.dropped, kernel.from_sources(kernel.tables.value, part.slot), softmax, out);
        edges.sum_part<kLayout.heads>(part, of_part.dropped, softmax, edge_sums.features + edges.offset(part.row), out);
      });
  if (weights == nullptr) return;
  weights_of_rows(shape, kernel.incoming(), log_sum_exp, weights,
                  [&](const Piece& piece, float* scores) {
                    kernel.incoming_scores(piece, edge_sums.query, scores);
                  });
}

/// Gradients of the queries, the edge weight and the bias; fills statistics.dot and edge_sums.gradient.
template <Layout kLayout, Storage kStorage>
void destination_pass(const Kernel<kLayout, kStorage>& kernel, const DropoutMask& mask, const float* output,
                      const float* output_gradient, const RowStatistics& statistics,
                      const DotProductEdgeSums& edge_sums, float* partials, const DotProductGradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const EdgeTerms& edges = kernel.edges;
  const auto weight_partial = [&](std::size_t chunk) { return partials + chunk * kernel.partial_columns(); };
  // The features summed with the weights are needed at the start; then their row takes the sums with the gradients.
  const auto begin_row = [&](Node row, std::size_t chunk) {
    edges.project(output_gradient + kernel.offset(row), edge_sums.gradient + edges.offset(row));
    edges.add_outer(edge_sums.features + edges.offset(row), output_gradient + kernel.offset(row),
                    weight_partial(chunk));
    std::fill_n(edge_sums.features + edges.offset(row), edges.sums_columns(), 0.0F);
  };
  differentiate_rows<kLayout.heads>(
      shape, kernel.incoming(), mask, statistics, kernel.scale,
      [&](const Piece& piece, std::size_t chunk) {
        dot_of_rows<kLayout, kStorage>(shape, piece.row, piece.rows, output, kernel.tables.output_gradient,
                                       statistics.dot + static_cast<std::size_t>(piece.row) * shape.heads);
        for (int r = 0; r < piece.rows && edges.count > 0; ++r)
          begin_row(piece.row + static_cast<Node>(r), chunk);
      },
      [&](const Piece& piece, float* scores) {
        kernel.incoming_scores(piece, edge_sums.query, scores);
      },
      [&](const Piece& piece, float* weight_gradients) {
        dot_rows<kLayout>(shape, kernel.own_rows(kernel.own.output_gradient, piece),
                          kernel.from_sources(kernel.tables.value, piece.slot), 1, piece.count, weight_gradients);
        edges.add_products<kLayout.heads>(
            piece.count, kernel.incoming_slots(piece.slot), piece.row_of,
            edge_sums.gradient, 1, weight_gradients);
      },
      [&](const RowPart& part, const float* score_gradients, std::size_t chunk) {
        kernel.add_bias_gradient(part.slot, part.count, score_gradients,
                                 weight_partial(chunk) + kernel.weight_columns());
        float* edge_features = edge_sums.features + edges.offset(part.row);
        edges.add_features<kLayout.heads>(part.slot, part.count, score_gradients, edge_features);
        if (gradients.query != nullptr)
          sum_rows<kLayout, Start::present>(shape, score_gradients, kernel.from_sources(kernel.tables.key, part.slot),
                                            part.count, nullptr, gradients.query + kernel.offset(part.row));
        if (!part.is_last || edges.count == 0) return;
        if (gradients.query != nullptr) edges.add_to_row(edge_features, gradients.query + kernel.offset(part.row));
        edges.add_outer(edge_features, kernel.inputs.query + kernel.offset(part.row), weight_partial(chunk));
      });
}

/// Gradients of the keys and the values.
template <Layout kLayout, Storage kStorage>
void source_pass(const Kernel<kLayout, kStorage>& kernel, const DropoutMask& mask, const RowStatistics& statistics,
                 const DotProductEdgeSums& edge_sums, const DotProductGradients& gradients) {
  const HeadShape& shape = kernel.shape;
  differentiate_columns<kLayout.heads>(
      kernel, mask, statistics, kernel.scale,
      [&](const Piece& piece, float* scores) {
        kernel.outgoing_scores(piece, edge_sums.query, scores);
      },
      [&](const Piece& piece, float* weight_gradients) {
        dot_rows<kLayout>(shape, kernel.own_rows(kernel.own.value, piece),
                          kernel.from_destinations(kernel.tables.output_gradient, piece.slot), 1, piece.count, weight_gradients);
        kernel.edges.template add_products<kLayout.heads>(piece.count, kernel.outgoing_slots(piece.slot),
                                                          kernel.graph.outgoing.columns.data() + piece.slot,
                                                          edge_sums.gradient, 1, weight_gradients);
      },
      [](const Piece&, const float*, float*) {},
      [&](const RowPart& part, const float* weights, const float* score_gradients, std::size_t) {
        const std::size_t at = kernel.offset(part.row);
        if (gradients.value != nullptr)
          sum_rows<kLayout, Start::present>(shape, weights, kernel.from_destinations(kernel.tables.output_gradient, part.slot),
                                            part.count, nullptr, gradients.value + at);
        if (gradients.key != nullptr)
          sum_rows<kLayout, Start::present>(shape, score_gradients,
                                            kernel.from_destinations(kernel.tables.query, part.slot), part.count, nullptr,
                                            gradients.key + at);
      });
}

template <Layout kLayout, Storage kStorage>
void backward(const Kernel<kLayout, kStorage>& kernel, const DropoutMask& mask, const float* output,
              const float* output_gradient, const RowStatistics& statistics, const DotProductEdgeSums& edge_sums,
              float* partials, const DotProductGradients& gradients) {
  const std::size_t chunks = kernel.graph.incoming_chunks.size() - 1;
  if (partials != nullptr) std::fill_n(partials, chunks * kernel.partial_columns(), 0.0F);
  destination_pass(kernel, mask, output, output_gradient, statistics, edge_sums, partials, gradients);
  source_pass(kernel, mask, statistics, edge_sums, gradients);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const float* partial = partials + chunk * kernel.partial_columns();
    if (gradients.edge_weight != nullptr) add_partials(partial, 1, kernel.weight_columns(), gradients.edge_weight);
    if (gradients.edge_bias != nullptr)
      add_partials(partial + kernel.weight_columns(), 1, kernel.bias_columns(), gradients.edge_bias);
  }
}

/// Calls `body` with the kernel that fits the inputs.
template <class Body>
void with_kernel(const graph::FrozenGraph& graph, const DotProductInputs& inputs, const float* output_gradient,
                 Body&& body) {
  const HeadShape shape(inputs.heads, inputs.width);
  const StoredTables tables{inputs.query, inputs.key, inputs.value, output_gradient};
  const bool has_partials = inputs.edge_weight != nullptr || inputs.edge_bias != nullptr;  // sums of the chunks
  const EdgeEnds ends = has_partials ? EdgeEnds{graph, shape} : ends_in_blocks(shape, graph, inputs.storage);
  const auto call = [&]<Layout kLayout, Storage kStorage>(const StoredTables& rows) {
    body(Kernel<kLayout, kStorage>{ends, inputs, rows, own_tables<kStorage>(tables, rows)});
  };
  with_stored<true>(shape, graph, inputs.storage, tables, call);
}

}  // namespace

void dot_product_forward(const graph::FrozenGraph& graph, const DotProductInputs& inputs,
                         const WeightDropout& dropout, float* output, float* log_sum_exp,
                         const DotProductEdgeSums& edge_sums, float* weights) {
  with_kernel(graph, inputs, nullptr, [&](const auto& kernel) {
    forward(kernel, DropoutMask(dropout.probability, dropout.key), output, log_sum_exp, edge_sums, weights);
  });
}

void dot_product_backward(const graph::FrozenGraph& graph, const DotProductInputs& inputs,
                          const WeightDropout& dropout, const float* output, const float* output_gradient,
                          const RowStatistics& statistics, const DotProductEdgeSums& edge_sums, float* partials,
                          const DotProductGradients& gradients) {
  with_kernel(graph, inputs, output_gradient, [&](const auto& kernel) {
    backward(kernel, DropoutMask(dropout.probability, dropout.key), output, output_gradient, statistics, edge_sums, partials, gradients);
  });
}

}  // namespace edgewise::attention
