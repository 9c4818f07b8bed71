#include "edgewise/attention/dot_product.hpp"

#include <cmath>

#include "edgewise/attention/detail/softmax_rows.hpp"

namespace edgewise::attention {
namespace {

using namespace detail;

/// What both passes read. Sums over edge features are rows [heads * edge features].
struct Kernel {
  const graph::FrozenGraph& graph;
  const DotProductInputs& inputs;
  HeadShape shape{inputs.heads, inputs.width};
  int edge_features = inputs.edge_weight == nullptr ? 0 : static_cast<int>(graph.edge_features.cols());
  HeadShape edge_shape{inputs.heads, edge_features};
  float scale = 1.0F / std::sqrt(static_cast<float>(inputs.width));

  std::size_t offset(Node node) const { return static_cast<std::size_t>(node) * shape.columns(); }
  std::size_t edge_offset(Node node) const { return static_cast<std::size_t>(node) * edge_shape.columns(); }
  const float* features(EdgeIndex slot) const {
    return graph.edge_features.data() + slot * static_cast<EdgeIndex>(edge_features);
  }
  GatheredRows sources(const float* table, EdgeIndex slot) const {
    return {table, graph.incoming.columns.data() + slot, shape.columns()};
  }
  GatheredRows destinations(const float* table, EdgeIndex position) const {
    return {table, graph.outgoing.columns.data() + position, shape.columns()};
  }

  /// out[h, f] = row[h, :] . edge_weight[f, h, :]
  void times_edge_weight(const float* row, float* out) const {
    for (int h = 0; h < shape.heads; ++h)
      for (int f = 0; f < edge_features; ++f) {
        const float* weight = inputs.edge_weight + f * shape.columns() + h * shape.width;
        float sum = 0;
        for (int d = 0; d < shape.width; ++d) sum += row[h * shape.width + d] * weight[d];
        out[h * edge_features + f] = sum;
      }
  }
  /// row[h, :] += sum over f of sums[h, f] * edge_weight[f, h, :]
  void add_edge_weight(const float* sums, float* row) const {
    for (int h = 0; h < shape.heads; ++h)
      for (int f = 0; f < edge_features; ++f) {
        const float* weight = inputs.edge_weight + f * shape.columns() + h * shape.width;
        for (int d = 0; d < shape.width; ++d) row[h * shape.width + d] += sums[h * edge_features + f] * weight[d];
      }
  }
  /// out[e, h] += projected(e)[h, :] . features(e)
  template <class SlotOf, class ProjectedOf>
  void add_edge_terms(int count, SlotOf slot_of, ProjectedOf projected_of, float* out) const {
    for (int e = 0; e < count && edge_features > 0; ++e) {
      const float* feature = features(slot_of(e));
      const float* projected = projected_of(e);
      for (int h = 0; h < shape.heads; ++h)
        for (int f = 0; f < edge_features; ++f)
          out[e * shape.heads + h] += projected[h * edge_features + f] * feature[f];
    }
  }
  /// sums[h, f] += over e of weights[e, h] * features(e)[f]
  void sum_features(EdgeIndex slot, int count, const float* weights, float* sums) const {
    for (int e = 0; e < count && edge_features > 0; ++e) {
      const float* feature = features(slot + static_cast<EdgeIndex>(e));
      for (int h = 0; h < shape.heads; ++h)
        for (int f = 0; f < edge_features; ++f)
          sums[h * edge_features + f] += weights[e * shape.heads + h] * feature[f];
    }
  }
  /// scores of `count` slots of a destination; `edge_query` is its query times the edge weight.
  void incoming_scores(Node destination, EdgeIndex slot, int count, const float* edge_query, float* scores) const {
    dot_rows(shape, inputs.query + offset(destination), sources(inputs.key, slot), count, scores);
    add_edge_terms(count, [&](int e) { return slot + static_cast<EdgeIndex>(e); }, [&](int) { return edge_query; },
                   scores);
    for (int i = 0; i < count * shape.heads; ++i) scores[i] *= scale;
  }
};

/// Gradients of the queries and the edge weight; fills statistics.dot and edge_sums.gradient.
template <int kHeads>
void destination_pass(const Kernel& kernel, const DropoutMask& mask, const float* output,
                      const float* output_gradient, const RowStatistics& statistics,
                      const DotProductEdgeSums& edge_sums, float* partials, const DotProductGradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const int edge_columns = kernel.edge_shape.columns();
  const auto partial_columns = static_cast<std::size_t>(kernel.edge_features * shape.columns());
  for_each_row(kernel.graph.incoming, kernel.graph.incoming_chunks, [&](Node row, RowSlots slots, std::size_t chunk) {
    const std::size_t at = kernel.offset(row);
    const std::size_t head_at = static_cast<std::size_t>(row) * shape.heads;
    const float* edge_query = edge_sums.query + kernel.edge_offset(row);
    float* edge_gradient = edge_sums.gradient + kernel.edge_offset(row);
    // The features summed with the weights are needed once more below; then their row takes the sums with ds.
    float* edge_features = edge_sums.features + kernel.edge_offset(row);
    kernel.times_edge_weight(output_gradient + at, edge_gradient);
    row_dot(shape, output_gradient + at, output + at, statistics.dot + head_at);
    const auto add_to_partial = [&](const float* sums, const float* rows) {
      float* partial = partials + chunk * partial_columns;
      for (int f = 0; f < kernel.edge_features; ++f)
        for (int c = 0; c < shape.columns(); ++c)
          partial[f * shape.columns() + c] += sums[c / shape.width * kernel.edge_features + f] * rows[c];
    };
    if (gradients.edge_weight != nullptr) add_to_partial(edge_features, output_gradient + at);
    std::fill_n(edge_features, edge_columns, 0.0F);
    differentiate_row<kHeads>(
        shape, slots, mask, statistics.log_sum_exp + head_at, statistics.dot + head_at,
        [&](EdgeIndex slot, int count, float* scores) {
          kernel.incoming_scores(row, slot, count, edge_query, scores);
        },
        [&](EdgeIndex slot, int count, float* weight_gradients) {
          dot_rows(shape, output_gradient + at, kernel.sources(kernel.inputs.value, slot), count, weight_gradients);
          kernel.add_edge_terms(count, [&](int e) { return slot + static_cast<EdgeIndex>(e); },
                                [&](int) { return edge_gradient; }, weight_gradients);
        },
        [&](EdgeIndex slot, int count, float* score_gradients) {
          for (int i = 0; i < count * shape.heads; ++i) score_gradients[i] *= kernel.scale;
          kernel.sum_features(slot, count, score_gradients, edge_features);
          if (gradients.query != nullptr)
            add_weighted_rows(shape, score_gradients, kernel.sources(kernel.inputs.key, slot), count,
                              gradients.query + at);
        });
    if (gradients.query != nullptr) kernel.add_edge_weight(edge_features, gradients.query + at);
    if (gradients.edge_weight != nullptr) add_to_partial(edge_features, kernel.inputs.query + at);
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
    const auto add_edge_terms = [&](EdgeIndex position, int count, const float* projected, float* out) {
      kernel.add_edge_terms(
          count, [&](int e) { return graph.outgoing_slot[position + static_cast<EdgeIndex>(e)]; },
          [&](int e) {
            return projected + kernel.edge_offset(graph.outgoing.columns[position + static_cast<EdgeIndex>(e)]);
          },
          out);
    };
    differentiate_column<kHeads>(
        shape, graph, positions, mask, statistics,
        [&](EdgeIndex position, int count, float* scores) {
          dot_rows(shape, kernel.inputs.key + at, kernel.destinations(kernel.inputs.query, position), count, scores);
          add_edge_terms(position, count, edge_sums.query, scores);
          for (int i = 0; i < count * shape.heads; ++i) scores[i] *= kernel.scale;
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
      float* edge_query = edge_sums.query + kernel.edge_offset(row);
      float* edge_features = edge_sums.features + kernel.edge_offset(row);
      float* row_log_sum_exp = log_sum_exp + static_cast<std::size_t>(row) * shape.heads;
      const auto scores = [&](EdgeIndex slot, int count, float* piece) {
        kernel.incoming_scores(row, slot, count, edge_query, piece);
      };
      std::fill_n(out, shape.columns(), 0.0F);
      std::fill_n(edge_features, kernel.edge_shape.columns(), 0.0F);
      kernel.times_edge_weight(inputs.query + kernel.offset(row), edge_query);
      attend_row<heads>(
          shape, slots, mask, row_log_sum_exp, scores,
          [&](EdgeIndex slot, int count, const float*, const float* piece) {
            add_weighted_rows(shape, piece, kernel.sources(inputs.value, slot), count, out);
            kernel.sum_features(slot, count, piece, edge_features);
          },
          [&](const float* factors) {
            scale_heads(shape, factors, out);
            scale_heads(kernel.edge_shape, factors, edge_features);
          });
      kernel.add_edge_weight(edge_features, out);
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
  const auto partial_columns = static_cast<std::size_t>(kernel.edge_features * kernel.shape.columns());
  if (gradients.edge_weight != nullptr) std::fill_n(partials, chunks * partial_columns, 0.0F);
  with_constant_heads(inputs.heads, [&](auto heads) {
    destination_pass<heads>(kernel, mask, output, output_gradient, statistics, edge_sums, partials, gradients);
    source_pass<heads>(kernel, mask, output_gradient, statistics, edge_sums, gradients);
  });
  if (gradients.edge_weight != nullptr) add_partials(partials, chunks, partial_columns, gradients.edge_weight);
}

}  // namespace edgewise::attention
