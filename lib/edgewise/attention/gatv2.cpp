#include "edgewise/attention/gatv2.hpp"

#include "edgewise/attention/detail/edge_terms.hpp"
#include "edgewise/attention/detail/softmax_rows.hpp"

namespace edgewise::attention {
namespace {

using namespace detail;

/// What both passes read. `own` is the row of one end of the edges, `other` a gathered row of the other end:
/// x = own + other + edge term is the same from either end.
template <bool kWhole>
struct Kernel {
  const graph::FrozenGraph& graph;
  const Gatv2Inputs& inputs;
  HeadShape shape{inputs.heads, inputs.width};
  EdgeTerms value_edges{graph.edge_features, inputs.value_edge_weight, shape};

  /// Of a chunk's partial sum: the gradients of the attention vector, the edge weight and the value edge weight.
  std::size_t vector_columns() const { return static_cast<std::size_t>(shape.columns()); }
  std::size_t edge_columns() const {
    return inputs.edge_weight == nullptr ? 0 : vector_columns() * static_cast<std::size_t>(graph.edge_features.cols());
  }
  std::size_t value_edge_columns() const { return vector_columns() * static_cast<std::size_t>(value_edges.count); }
  std::size_t partial_columns() const { return vector_columns() + edge_columns() + value_edge_columns(); }

  std::size_t offset(Node node) const { return static_cast<std::size_t>(node) * shape.columns(); }
  GatheredRows sources(const float* table, EdgeIndex slot) const {
    return {table, graph.incoming.columns.data() + slot, shape.columns()};
  }
  GatheredRows destinations(const float* table, EdgeIndex position) const {
    return {table, graph.outgoing.columns.data() + position, shape.columns()};
  }
  const float* edge_features(EdgeIndex slot) const {
    return graph.edge_features.data() + slot * static_cast<EdgeIndex>(graph.edge_features.cols());
  }
  Float8 x(const float* own, const float* other, EdgeIndex slot, int vector) const {
    Float8 sum = load_vector<kWhole>(own, shape, vector) + load_vector<kWhole>(other, shape, vector);
    if (inputs.edge_weight == nullptr) return sum;
    const float* feature = edge_features(slot);
    for (Eigen::Index f = 0; f < graph.edge_features.cols(); ++f)
      sum += feature[f] * load_vector<kWhole>(inputs.edge_weight + f * shape.columns(), shape, vector);
    return sum;
  }
  Float8 leaky_relu(Float8 value) const { return value > 0.0F ? value : value * inputs.negative_slope; }

  template <class SlotOf>
  void scores(const float* own, const GatheredRows& others, int count, SlotOf slot_of, float* out) const {
    const int per_head = shape.per_head;
    sum_terms(shape, others, count, out, [&](int e, const float* other, int head) {
      Float8 sum{};
      for (int v = head * per_head; v < (head + 1) * per_head; ++v)
        sum += load_vector<kWhole>(inputs.attention_vector, shape, v) * leaky_relu(x(own, other, slot_of(e), v));
      return sum;
    });
  }
  void incoming_scores(Node destination, EdgeIndex slot, int count, float* out) const {
    scores(inputs.query + offset(destination), sources(inputs.key, slot), count,
           [slot](int e) { return slot + static_cast<EdgeIndex>(e); }, out);
  }
  void outgoing_scores(Node source, EdgeIndex position, int count, float* out) const {
    scores(inputs.key + offset(source), destinations(inputs.query, position), count,
           [this, position](int e) { return graph.outgoing_slot[position + static_cast<EdgeIndex>(e)]; }, out);
  }
};

/// row += by, vector by vector.
template <bool kWhole>
void add_vector(float* row, const HeadShape& shape, int vector, Float8 by) {
  store_vector<kWhole>(row, shape, vector, load_vector<kWhole>(row, shape, vector) + by);
}

/// Gradients of the queries, the attention vector and the edge weights; fills statistics.dot and edge_sums.gradient.
/// What the attention vector multiplies everywhere is multiplied once, at the end of a row or of the whole sum.
template <int kHeads, bool kWhole>
void destination_pass(const Kernel<kWhole>& kernel, const DropoutMask& mask, const float* output,
                      const float* output_gradient, const RowStatistics& statistics,
                      const Gatv2EdgeSums& edge_sums, float* partials, const Gatv2Gradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const int columns = shape.columns();
  const EdgeTerms& value_edges = kernel.value_edges;
  const auto edge_columns = kernel.inputs.edge_weight == nullptr ? 0 : kernel.graph.edge_features.cols();
  for_each_row(kernel.graph.incoming, kernel.graph.incoming_chunks, [&](Node row, RowSlots slots, std::size_t chunk) {
    const std::size_t at = kernel.offset(row);
    const std::size_t head_at = static_cast<std::size_t>(row) * shape.heads;
    const float* query = kernel.inputs.query + at;
    float* vector_partial = partials + chunk * kernel.partial_columns();
    float* edge_partial = vector_partial + columns;
    float* edge_gradient = edge_sums.gradient + value_edges.offset(row);
    value_edges.project(output_gradient + at, edge_gradient);
    value_edges.add_outer(edge_sums.features + value_edges.offset(row), output_gradient + at,
                          edge_partial + kernel.edge_columns());
    row_dot(shape, output_gradient + at, output + at, statistics.dot + head_at);
    differentiate_row<kHeads>(
        shape, slots, mask, statistics.log_sum_exp + head_at, statistics.dot + head_at,
        [&](EdgeIndex slot, int count, float* scores) { kernel.incoming_scores(row, slot, count, scores); },
        [&](EdgeIndex slot, int count, float* weight_gradients) {
          dot_rows(shape, output_gradient + at, kernel.sources(kernel.inputs.value, slot), count, weight_gradients);
          value_edges.add_incoming_products(slot, count, edge_gradient, weight_gradients);
        },
        [&](EdgeIndex slot, int count, const float* score_gradients) {
          const GatheredRows keys = kernel.sources(kernel.inputs.key, slot);
          for (int v = 0; v < shape.vectors(); ++v) {
            const int head = shape.head(v);
            Float8 query_sum{}, vector_sum{};
            for (int e = 0; e < count; ++e) {
              const EdgeIndex edge_slot = slot + static_cast<EdgeIndex>(e);
              const Float8 x = kernel.x(query, keys[e], edge_slot, v);
              const Float8 gradient = simd::broadcast(score_gradients[e * shape.heads + head]);
              const Float8 through = x > 0.0F ? gradient : gradient * kernel.inputs.negative_slope;
              query_sum += through;
              vector_sum += through * x;
              const float* feature = kernel.edge_features(edge_slot);
              for (Eigen::Index f = 0; f < edge_columns; ++f)
                add_vector<kWhole>(edge_partial + f * columns, shape, v, feature[f] * through);
            }
            add_vector<kWhole>(vector_partial, shape, v, vector_sum);
            if (gradients.query != nullptr)
              add_vector<kWhole>(gradients.query + at, shape, v,
                                 query_sum * load_vector<kWhole>(kernel.inputs.attention_vector, shape, v));
          }
        });
  });
}

/// Gradients of the keys and the values.
template <int kHeads, bool kWhole>
void source_pass(const Kernel<kWhole>& kernel, const DropoutMask& mask, const float* output_gradient,
                 const RowStatistics& statistics, const Gatv2EdgeSums& edge_sums, const Gatv2Gradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const graph::FrozenGraph& graph = kernel.graph;
  const EdgeTerms& value_edges = kernel.value_edges;
  for_each_row(graph.outgoing, graph.outgoing_chunks, [&](Node row, RowSlots positions, std::size_t) {
    const std::size_t at = kernel.offset(row);
    const float* key = kernel.inputs.key + at;
    differentiate_column<kHeads>(
        shape, graph, positions, mask, statistics,
        [&](EdgeIndex position, int count, float* scores) { kernel.outgoing_scores(row, position, count, scores); },
        [&](EdgeIndex position, int count, float* weight_gradients) {
          dot_rows(shape, kernel.inputs.value + at, kernel.destinations(output_gradient, position), count,
                   weight_gradients);
          value_edges.add_products(
              count, [&](int e) { return graph.outgoing_slot[position + static_cast<EdgeIndex>(e)]; },
              [&](int e) {
                const Node destination = graph.outgoing.columns[position + static_cast<EdgeIndex>(e)];
                return edge_sums.gradient + value_edges.offset(destination);
              },
              weight_gradients);
        },
        [&](EdgeIndex position, int count, const float* weights, const float* score_gradients) {
          if (gradients.value != nullptr)
            add_weighted_rows(shape, weights, kernel.destinations(output_gradient, position), count,
                              gradients.value + at);
          if (gradients.key == nullptr) return;
          const GatheredRows queries = kernel.destinations(kernel.inputs.query, position);
          for (int v = 0; v < shape.vectors(); ++v) {
            const int head = shape.head(v);
            Float8 key_sum{};
            for (int e = 0; e < count; ++e) {
              const Float8 x =
                  kernel.x(key, queries[e], graph.outgoing_slot[position + static_cast<EdgeIndex>(e)], v);
              const Float8 gradient = simd::broadcast(score_gradients[e * shape.heads + head]);
              key_sum += x > 0.0F ? gradient : gradient * kernel.inputs.negative_slope;
            }
            add_vector<kWhole>(gradients.key + at, shape, v,
                               key_sum * load_vector<kWhole>(kernel.inputs.attention_vector, shape, v));
          }
        });
  });
}

template <bool kWhole>
void forward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout, float* output,
             float* log_sum_exp, const Gatv2EdgeSums& edge_sums, float* weights) {
  const Kernel<kWhole> kernel{graph, inputs};
  const HeadShape& shape = kernel.shape;
  const DropoutMask mask(dropout);
  with_constant_heads(inputs.heads, [&](auto heads) {
    for_each_row(graph.incoming, graph.incoming_chunks, [&](Node row, RowSlots slots, std::size_t) {
      float* out = output + kernel.offset(row);
      float* edge_features = edge_sums.features + kernel.value_edges.offset(row);
      float* row_log_sum_exp = log_sum_exp + static_cast<std::size_t>(row) * shape.heads;
      const auto scores = [&](EdgeIndex slot, int count, float* piece) {
        kernel.incoming_scores(row, slot, count, piece);
      };
      std::fill_n(out, shape.columns(), 0.0F);
      std::fill_n(edge_features, kernel.value_edges.sums_shape.columns(), 0.0F);
      attend_row<heads>(
          shape, slots, mask, row_log_sum_exp, scores,
          [&](EdgeIndex slot, int count, const float*, const float* piece) {
            add_weighted_rows(shape, piece, kernel.sources(inputs.value, slot), count, out);
            kernel.value_edges.add_features(slot, count, piece, edge_features);
          },
          [&](const float* factors) {
            scale_heads(shape, factors, out);
            scale_heads(kernel.value_edges.sums_shape, factors, edge_features);
          });
      kernel.value_edges.add_to_row(edge_features, out);
      if (weights != nullptr) weights_of_row(shape, slots, row_log_sum_exp, weights, scores);
    });
  });
}

template <bool kWhole>
void backward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
              const float* output, const float* output_gradient, const RowStatistics& statistics,
              const Gatv2EdgeSums& edge_sums, float* partials, const Gatv2Gradients& gradients) {
  const Kernel<kWhole> kernel{graph, inputs};
  const DropoutMask mask(dropout);
  const std::size_t columns = kernel.vector_columns();
  const std::size_t chunks = graph.incoming_chunks.size() - 1;
  std::fill_n(partials, chunks * kernel.partial_columns(), 0.0F);
  with_constant_heads(inputs.heads, [&](auto heads) {
    destination_pass<heads>(kernel, mask, output, output_gradient, statistics, edge_sums, partials, gradients);
    source_pass<heads>(kernel, mask, output_gradient, statistics, edge_sums, gradients);
  });
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const float* vector_partial = partials + chunk * kernel.partial_columns();
    const float* edge_partial = vector_partial + columns;
    if (gradients.attention_vector != nullptr) add_partials(vector_partial, 1, columns, gradients.attention_vector);
    if (gradients.value_edge_weight != nullptr)
      add_partials(edge_partial + kernel.edge_columns(), 1, kernel.value_edge_columns(), gradients.value_edge_weight);
    if (gradients.edge_weight == nullptr) continue;
    for (std::size_t i = 0; i < kernel.edge_columns(); ++i)
      gradients.edge_weight[i] += edge_partial[i] * inputs.attention_vector[i % columns];
  }
}

}  // namespace

void gatv2_forward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
                   float* output, float* log_sum_exp, const Gatv2EdgeSums& edge_sums, float* weights) {
  if (inputs.width % simd::kLanes == 0)
    forward<true>(graph, inputs, dropout, output, log_sum_exp, edge_sums, weights);
  else
    forward<false>(graph, inputs, dropout, output, log_sum_exp, edge_sums, weights);
}

void gatv2_backward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
                    const float* output, const float* output_gradient, const RowStatistics& statistics,
                    const Gatv2EdgeSums& edge_sums, float* partials, const Gatv2Gradients& gradients) {
  if (inputs.width % simd::kLanes == 0)
    backward<true>(graph, inputs, dropout, output, output_gradient, statistics, edge_sums, partials, gradients);
  else
    backward<false>(graph, inputs, dropout, output, output_gradient, statistics, edge_sums, partials, gradients);
}

}  // namespace edgewise::attention
