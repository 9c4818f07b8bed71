#include "edgewise/attention/dot_product.hpp"

#include <cmath>

#include "edgewise/attention/detail/edge_terms.hpp"
#include "edgewise/attention/detail/softmax_rows.hpp"

namespace edgewise::attention {
namespace {

using namespace detail;

/// What both passes read.
struct Kernel {
  const graph::FrozenGraph& graph;
  const DotProductInputs& inputs;
  HeadShape shape{inputs.heads, inputs.width};
  EdgeTerms edges{graph.edge_features, inputs.edge_weight, shape};
  float scale = 1.0F / std::sqrt(static_cast<float>(inputs.width));

  std::size_t offset(Node node) const { return static_cast<std::size_t>(node) * shape.columns(); }
  GatheredRows sources(const float* table, EdgeIndex slot) const {
    return {table, graph.incoming.columns.data() + slot, shape.columns()};
  }
  GatheredRows destinations(const float* table, EdgeIndex position) const {
    return {table, graph.outgoing.columns.data() + position, shape.columns()};
  }

  int bias_features() const { return inputs.edge_bias == nullptr ? 0 : static_cast<int>(graph.edge_features.cols()); }
  EdgeFeatures bias_features_of(EdgeIndex slot) const { return {edges.features_of(slot).values, bias_features()}; }
  /// scores[e, h] = scores[e, h] * scale + features of slot_of(e) . edge_bias[:, h]
  template <class SlotOf>
  void scale_and_bias(int count, SlotOf slot_of, float* scores) const {
    for (int i = 0; i < count * shape.heads; ++i) scores[i] *= scale;
    for (int e = 0; e < count && bias_features() > 0; ++e)
      bias_features_of(slot_of(e)).for_each([&](int f, float feature) {
        for (int h = 0; h < shape.heads; ++h)
          scores[e * shape.heads + h] += feature * inputs.edge_bias[f * shape.heads + h];
      });
  }
  /// gradient[f, h] += over e of score_gradients[e, h] * features of slot + e
  void add_bias_gradient(EdgeIndex slot, int count, const float* score_gradients, float* gradient) const {
    for (int e = 0; e < count && bias_features() > 0; ++e)
      bias_features_of(slot + static_cast<EdgeIndex>(e)).for_each([&](int f, float feature) {
        for (int h = 0; h < shape.heads; ++h)
          gradient[f * shape.heads + h] += feature * score_gradients[e * shape.heads + h];
      });
  }
  /// scores of `count` slots of a destination; `edge_query` is its query times the edge weight.
  template <int kHeads>
  void incoming_scores(Node destination, EdgeIndex slot, int count, const float* edge_query, float* scores) const {
    dot_rows(shape, inputs.query + offset(destination), sources(inputs.key, slot), count, scores);
    edges.add_incoming_products<kHeads>(slot, count, edge_query, scores);
    scale_and_bias(count, [slot](int e) { return slot + static_cast<EdgeIndex>(e); }, scores);
  }

  /// Of a chunk's partial sum: the gradient of the edge weight, then that of the bias.
  std::size_t weight_columns() const { return static_cast<std::size_t>(edges.count * shape.columns()); }
  std::size_t bias_columns() const { return static_cast<std::size_t>(bias_features() * shape.heads); }
  std::size_t partial_columns() const { return weight_columns() + bias_columns(); }
};

/// Gradients of the queries, the edge weight and the bias; fills statistics.dot and edge_sums.gradient.
template <int kHeads>
void destination_pass(const Kernel& kernel, const DropoutMask& mask, const float* output,
                      const float* output_gradient, const RowStatistics& statistics,
                      const DotProductEdgeSums& edge_sums, float* partials, const DotProductGradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const EdgeTerms& edges = kernel.edges;
  for_each_row(kernel.graph.incoming, kernel.graph.incoming_chunks, [&](Node row, RowSlots slots, std::size_t chunk) {
    const std::size_t at = kernel.offset(row);
    const std::size_t head_at = static_cast<std::size_t>(row) * shape.heads;
    const float* edge_query = edge_sums.query + edges.offset(row);
    float* edge_gradient = edge_sums.gradient + edges.offset(row);
    // The features summed with the weights are needed once more below; then their row takes the sums with ds.
    float* edge_features = edge_sums.features + edges.offset(row);
    float* weight_partial = partials + chunk * kernel.partial_columns();
    float* bias_partial = weight_partial + kernel.weight_columns();
    edges.project(output_gradient + at, edge_gradient);
    row_dot(shape, output_gradient + at, output + at, statistics.dot + head_at);
    edges.add_outer(edge_features, output_gradient + at, weight_partial);
    std::fill_n(edge_features, edges.sums_columns(), 0.0F);
    differentiate_row<kHeads>(
        shape, slots, mask, statistics.log_sum_exp + head_at, statistics.dot + head_at,
        [&](EdgeIndex slot, int count, float* scores) {
          kernel.incoming_scores<kHeads>(row, slot, count, edge_query, scores);
        },
        [&](EdgeIndex slot, int count, float* weight_gradients) {
          dot_rows(shape, output_gradient + at, kernel.sources(kernel.inputs.value, slot), count, weight_gradients);
          edges.add_incoming_products<kHeads>(slot, count, edge_gradient, weight_gradients);
        },
        [&](EdgeIndex slot, int count, float* score_gradients) {
          kernel.add_bias_gradient(slot, count, score_gradients, bias_partial);
          for (int i = 0; i < count * shape.heads; ++i) score_gradients[i] *= kernel.scale;
          edges.add_features<kHeads>(slot, count, score_gradients, edge_features);
          if (gradients.query != nullptr)
            add_weighted_rows(shape, score_gradients, kernel.sources(kernel.inputs.key, slot), count,
                              gradients.query + at);
        });
    if (gradients.query != nullptr) edges.add_to_row(edge_features, gradients.query + at);
    edges.add_outer(edge_features, kernel.inputs.query + at, weight_partial);
  });
}

/// Gradients of the keys and the values.
template <int kHeads>
void source_pass(const Kernel& kernel, const DropoutMask& mask, const float* output_gradient,
                 const RowStatistics& statistics, const DotProductEdgeSums& edge_sums,
                 const DotProductGradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const graph::FrozenGraph& graph = kernel.graph;
  for_each_row(graph.outgoing, graph.outgoing_chunks, [&](Node row, RowSlots positions, std::size_t) {
    const std::size_t at = kernel.offset(row);
    const auto slots_from = [&graph](EdgeIndex position) {
      return [&graph, position](int e) { return graph.outgoing_slot[position + static_cast<EdgeIndex>(e)]; };
    };
    const auto add_edge_terms = [&](EdgeIndex position, int count, const float* projected, float* out) {
      kernel.edges.add_products<kHeads>(
          count, slots_from(position),
          [&](int e) {
            return projected + kernel.edges.offset(graph.outgoing.columns[position + static_cast<EdgeIndex>(e)]);
          },
          out);
    };
    differentiate_column<kHeads>(
        shape, graph, positions, mask, statistics,
        [&](EdgeIndex position, int count, float* scores) {
          dot_rows(shape, kernel.inputs.key + at, kernel.destinations(kernel.inputs.query, position), count, scores);
          add_edge_terms(position, count, edge_sums.query, scores);
          kernel.scale_and_bias(count, slots_from(position), scores);
        },
        [&](EdgeIndex position, int count, float* weight_gradients) {
          dot_rows(shape, kernel.inputs.value + at, kernel.destinations(output_gradient, position), count,
                   weight_gradients);
          add_edge_terms(position, count, edge_sums.gradient, weight_gradients);
        },
        [&](EdgeIndex position, int count, const float* weights, float* score_gradients) {
          if (gradients.value != nullptr)
            add_weighted_rows(shape, weights, kernel.destinations(output_gradient, position), count,
                              gradients.value + at);
          if (gradients.key == nullptr) return;
          for (int i = 0; i < count * shape.heads; ++i) score_gradients[i] *= kernel.scale;
          add_weighted_rows(shape, score_gradients, kernel.destinations(kernel.inputs.query, position), count,
                            gradients.key + at);
        });
  });
}

}  // namespace

void dot_product_forward(const graph::FrozenGraph& graph, const DotProductInputs& inputs,
                         const WeightDropout& dropout, float* output, float* log_sum_exp,
                         const DotProductEdgeSums& edge_sums, float* weights) {
  const Kernel kernel{graph, inputs};
  const HeadShape& shape = kernel.shape;
  const DropoutMask mask(dropout);
  with_constant_heads(inputs.heads, [&](auto heads) {
    for_each_row(graph.incoming, graph.incoming_chunks, [&](Node row, RowSlots slots, std::size_t) {
      float* out = output + kernel.offset(row);
      float* edge_query = edge_sums.query + kernel.edges.offset(row);
      float* edge_features = edge_sums.features + kernel.edges.offset(row);
      float* row_log_sum_exp = log_sum_exp + static_cast<std::size_t>(row) * shape.heads;
      const auto scores = [&](EdgeIndex slot, int count, float* piece) {
        kernel.incoming_scores<heads>(row, slot, count, edge_query, piece);
      };
      std::fill_n(out, shape.columns(), 0.0F);
      std::fill_n(edge_features, kernel.edges.sums_columns(), 0.0F);
      kernel.edges.project(inputs.query + kernel.offset(row), edge_query);
      attend_row<heads>(
          shape, slots, mask, row_log_sum_exp, scores,
          [&](EdgeIndex slot, int count, const float*, const float* piece) {
            add_weighted_rows(shape, piece, kernel.sources(inputs.value, slot), count, out);
            kernel.edges.add_features<heads>(slot, count, piece, edge_features);
          },
          [&](const float* factors) {
            scale_heads(shape, factors, out);
            kernel.edges.scale(factors, edge_features);
          });
      kernel.edges.add_to_row(edge_features, out);
      if (weights != nullptr) weights_of_row(shape, slots, row_log_sum_exp, weights, scores);
    });
  });
}

void dot_product_backward(const graph::FrozenGraph& graph, const DotProductInputs& inputs,
                          const WeightDropout& dropout, const float* output, const float* output_gradient,
                          const RowStatistics& statistics, const DotProductEdgeSums& edge_sums, float* partials,
                          const DotProductGradients& gradients) {
  const Kernel kernel{graph, inputs};
  const DropoutMask mask(dropout);
  const std::size_t chunks = graph.incoming_chunks.size() - 1;
  if (partials != nullptr) std::fill_n(partials, chunks * kernel.partial_columns(), 0.0F);
  with_constant_heads(inputs.heads, [&](auto heads) {
    destination_pass<heads>(kernel, mask, output, output_gradient, statistics, edge_sums, partials, gradients);
    source_pass<heads>(kernel, mask, output_gradient, statistics, edge_sums, gradients);
  });
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const float* partial = partials + chunk * kernel.partial_columns();
    if (gradients.edge_weight != nullptr) add_partials(partial, 1, kernel.weight_columns(), gradients.edge_weight);
    if (gradients.edge_bias != nullptr)
      add_partials(partial + kernel.weight_columns(), 1, kernel.bias_columns(), gradients.edge_bias);
  }
}

}  // namespace edgewise::attention
