#include "edgewise/attention/gatv2.hpp"

#include "edgewise/attention/detail/edge_terms.hpp"
#include "edgewise/attention/detail/softmax_rows.hpp"

namespace edgewise::attention {
namespace {

using namespace detail;

/// Vectors of one row side by side.
template <int kVectors>
struct Tile {
  Float8 vectors[kVectors];
  Float8& operator[](int i) { return vectors[i]; }
  Float8 operator[](int i) const { return vectors[i]; }
};

/// What both passes read. `own` is the row of one end of the edges, `other` a gathered row of the other end:
/// x = own + other + edge term is the same from either end. Rows are worked on a tile at a time: the whole row where
/// its size is a constant, otherwise a vector.
template <Layout kLayout>
struct Kernel {
  static constexpr int kHeads = kLayout.heads;
  static constexpr int kTile = std::max(1, kLayout.vectors());

  const graph::FrozenGraph& graph;
  const Gatv2Inputs& inputs;
  HeadShape shape{inputs.heads, inputs.width};
  EdgeTerms value_edges{graph.edge_features, inputs.value_edge_weight, shape};
  int score_features = inputs.edge_weight == nullptr ? 0 : static_cast<int>(graph.edge_features.cols());

  /// Of a chunk's partial sum: the gradients of the attention vector, the edge weight and the value edge weight.
  std::size_t vector_columns() const { return static_cast<std::size_t>(shape.columns()); }
  std::size_t edge_columns() const { return vector_columns() * static_cast<std::size_t>(score_features); }
  std::size_t value_edge_columns() const { return vector_columns() * static_cast<std::size_t>(value_edges.count); }
  std::size_t partial_columns() const { return vector_columns() + edge_columns() + value_edge_columns(); }

  std::size_t offset(Node node) const { return static_cast<std::size_t>(node) * shape.columns(); }
  GatheredRows sources(const float* table, EdgeIndex slot) const {
    return {table, graph.incoming.columns.data() + slot, shape.columns()};
  }
  GatheredRows destinations(const float* table, EdgeIndex position) const {
    return {table, graph.outgoing.columns.data() + position, shape.columns()};
  }
  auto incoming_slots(EdgeIndex slot) const {
    return [slot](int e) { return slot + static_cast<EdgeIndex>(e); };
  }
  auto outgoing_slots(EdgeIndex position) const {
    return [this, position](int e) { return graph.outgoing_slot[position + static_cast<EdgeIndex>(e)]; };
  }
  EdgeFeatures edge_features(EdgeIndex slot) const {
    return {graph.edge_features.data() + slot * static_cast<EdgeIndex>(graph.edge_features.cols()), score_features};
  }

  int vectors() const { return kLayout.vectors() > 0 ? kLayout.vectors() : shape.vectors(); }
  int per_head() const { return kLayout.per_head > 0 ? kLayout.per_head : shape.per_head; }
  int head(int vector) const { return kLayout.per_head > 0 ? vector / kLayout.per_head : shape.head(vector); }
  Float8 load(const float* row, int vector) const { return load_vector<kLayout.is_whole>(row, shape, vector); }
  /// row += by, at one vector.
  void add(float* row, int vector, Float8 by) const {
    store_vector<kLayout.is_whole>(row, shape, vector, load(row, vector) + by);
  }

  /// The tile of x that starts with vector `first`.
  Tile<kTile> x(const float* own, const float* other, const EdgeFeatures& features, int first) const {
    Tile<kTile> sum;
    for (int t = 0; t < kTile; ++t) sum[t] = load(own, first + t) + load(other, first + t);
    features.for_each([&](int f, float feature) {
      const float* weight = inputs.edge_weight + f * shape.columns();
      for (int t = 0; t < kTile; ++t) sum[t] += feature * load(weight, first + t);
    });
    return sum;
  }
  Float8 leaky_relu(Float8 value) const { return value > 0.0F ? value : value * inputs.negative_slope; }
  /// The gradient of x of edge e but for the factor of the attention vector.
  Float8 through_leaky_relu(Float8 x, const float* score_gradients, int e, int vector) const {
    const Float8 gradient = simd::broadcast(score_gradients[e * inputs.heads + head(vector)]);
    return x > 0.0F ? gradient : gradient * inputs.negative_slope;
  }

  template <class SlotOf>
  void scores(const float* own, const GatheredRows& others, int count, SlotOf slot_of, float* out) const {
    sum_terms<kHeads>(shape, others, count, out, [&](int e, const float* other) {
      const EdgeFeatures features = edge_features(slot_of(e));
      const auto activated = [this](Float8 x, int v) { return load(inputs.attention_vector, v) * leaky_relu(x); };
      if constexpr (kLayout.vectors() > 0)
        return [activated, row = x(own, other, features, 0)](int head) {
          constexpr int kPerHead = kLayout.per_head;
          Float8 sum = activated(row[head * kPerHead], head * kPerHead);
          for (int v = head * kPerHead + 1; v < (head + 1) * kPerHead; ++v) sum += activated(row[v], v);
          return sum;
        };
      else
        return [=, this](int head) {
          Float8 sum{};
          for (int v = head * per_head(); v < (head + 1) * per_head(); ++v)
            sum += activated(x(own, other, features, v)[0], v);
          return sum;
        };
    });
  }
  void incoming_scores(Node destination, EdgeIndex slot, int count, float* out) const {
    scores(inputs.query + offset(destination), sources(inputs.key, slot), count, incoming_slots(slot), out);
  }
  void outgoing_scores(Node source, EdgeIndex position, int count, float* out) const {
    scores(inputs.key + offset(source), destinations(inputs.query, position), count, outgoing_slots(position), out);
  }
};

/// Of `count` slots of a destination, from the gradients of their scores: adds to its query's gradient and to the
/// partial sums of the gradients of the attention vector and the edge weight. What the attention vector multiplies
/// everywhere is multiplied once, at the end of a row or of the whole sum.
template <Layout kLayout>
void add_destination_gradients(const Kernel<kLayout>& kernel, const float* query, EdgeIndex slot, int count,
                               const float* score_gradients, float* vector_partial, float* edge_partial,
                               float* query_gradient) {
  constexpr int kTile = Kernel<kLayout>::kTile;
  const GatheredRows keys = kernel.sources(kernel.inputs.key, slot);
  for (int first = 0; first < kernel.vectors(); first += kTile) {
    Tile<kTile> query_sum{}, vector_sum{};
    for (int e = 0; e < count; ++e) {
      const EdgeFeatures features = kernel.edge_features(slot + static_cast<EdgeIndex>(e));
      const Tile<kTile> x = kernel.x(query, keys[e], features, first);
      Tile<kTile> through;
      for (int t = 0; t < kTile; ++t) {
        through[t] = kernel.through_leaky_relu(x[t], score_gradients, e, first + t);
        query_sum[t] += through[t];
        vector_sum[t] += through[t] * x[t];
      }
      features.for_each([&](int f, float feature) {
        float* gradient = edge_partial + f * kernel.shape.columns();
        for (int t = 0; t < kTile; ++t) kernel.add(gradient, first + t, feature * through[t]);
      });
    }
    for (int t = 0; t < kTile; ++t) {
      kernel.add(vector_partial, first + t, vector_sum[t]);
      if (query_gradient != nullptr)
        kernel.add(query_gradient, first + t, query_sum[t] * kernel.load(kernel.inputs.attention_vector, first + t));
    }
  }
}

/// Of `count` positions of a source, from the gradients of their scores: adds to its key's gradient.
template <Layout kLayout>
void add_key_gradient(const Kernel<kLayout>& kernel, const float* key, EdgeIndex position, int count,
                      const float* score_gradients, float* key_gradient) {
  constexpr int kTile = Kernel<kLayout>::kTile;
  const GatheredRows queries = kernel.destinations(kernel.inputs.query, position);
  const auto slot_of = kernel.outgoing_slots(position);
  for (int first = 0; first < kernel.vectors(); first += kTile) {
    Tile<kTile> key_sum{};
    for (int e = 0; e < count; ++e) {
      const Tile<kTile> x = kernel.x(key, queries[e], kernel.edge_features(slot_of(e)), first);
      for (int t = 0; t < kTile; ++t) key_sum[t] += kernel.through_leaky_relu(x[t], score_gradients, e, first + t);
    }
    for (int t = 0; t < kTile; ++t)
      kernel.add(key_gradient, first + t, key_sum[t] * kernel.load(kernel.inputs.attention_vector, first + t));
  }
}

/// Gradients of the queries, the attention vector and the edge weights; fills statistics.dot and edge_sums.gradient.
template <Layout kLayout>
void destination_pass(const Kernel<kLayout>& kernel, const DropoutMask& mask, const float* output,
                      const float* output_gradient, const RowStatistics& statistics,
                      const Gatv2EdgeSums& edge_sums, float* partials, const Gatv2Gradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const EdgeTerms& value_edges = kernel.value_edges;
  for_each_row(kernel.graph.incoming, kernel.graph.incoming_chunks, [&](Node row, RowSlots slots, std::size_t chunk) {
    const std::size_t at = kernel.offset(row);
    const std::size_t head_at = static_cast<std::size_t>(row) * shape.heads;
    float* vector_partial = partials + chunk * kernel.partial_columns();
    float* edge_partial = vector_partial + shape.columns();
    float* edge_gradient = edge_sums.gradient + value_edges.offset(row);
    value_edges.project(output_gradient + at, edge_gradient);
    value_edges.add_outer(edge_sums.features + value_edges.offset(row), output_gradient + at,
                          edge_partial + kernel.edge_columns());
    row_dot(shape, output_gradient + at, output + at, statistics.dot + head_at);
    differentiate_row<kLayout.heads>(
        shape, slots, mask, statistics.log_sum_exp + head_at, statistics.dot + head_at,
        [&](EdgeIndex slot, int count, float* scores) { kernel.incoming_scores(row, slot, count, scores); },
        [&](EdgeIndex slot, int count, float* weight_gradients) {
          dot_rows_of<kLayout>(shape, output_gradient + at, kernel.sources(kernel.inputs.value, slot), count,
                               weight_gradients);
          value_edges.add_incoming_products<kLayout.heads>(slot, count, edge_gradient, weight_gradients);
        },
        [&](EdgeIndex slot, int count, const float* score_gradients) {
          add_destination_gradients(kernel, kernel.inputs.query + at, slot, count, score_gradients, vector_partial,
                                    edge_partial, gradients.query == nullptr ? nullptr : gradients.query + at);
        });
  });
}

/// Gradients of the keys and the values.
template <Layout kLayout>
void source_pass(const Kernel<kLayout>& kernel, const DropoutMask& mask, const float* output_gradient,
                 const RowStatistics& statistics, const Gatv2EdgeSums& edge_sums, const Gatv2Gradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const graph::FrozenGraph& graph = kernel.graph;
  const EdgeTerms& value_edges = kernel.value_edges;
  for_each_row(graph.outgoing, graph.outgoing_chunks, [&](Node row, RowSlots positions, std::size_t) {
    const std::size_t at = kernel.offset(row);
    differentiate_column<kLayout.heads>(
        shape, graph, positions, mask, statistics,
        [&](EdgeIndex position, int count, float* scores) { kernel.outgoing_scores(row, position, count, scores); },
        [&](EdgeIndex position, int count, float* weight_gradients) {
          dot_rows_of<kLayout>(shape, kernel.inputs.value + at, kernel.destinations(output_gradient, position), count,
                               weight_gradients);
          value_edges.add_products<kLayout.heads>(
              count, kernel.outgoing_slots(position),
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
          if (gradients.key != nullptr)
            add_key_gradient(kernel, kernel.inputs.key + at, position, count, score_gradients, gradients.key + at);
        });
  });
}

template <Layout kLayout>
void forward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout, float* output,
             float* log_sum_exp, const Gatv2EdgeSums& edge_sums, float* weights) {
  const Kernel<kLayout> kernel{graph, inputs};
  const HeadShape& shape = kernel.shape;
  const DropoutMask mask(dropout);
  for_each_row(graph.incoming, graph.incoming_chunks, [&](Node row, RowSlots slots, std::size_t) {
    float* out = output + kernel.offset(row);
    float* edge_features = edge_sums.features + kernel.value_edges.offset(row);
    float* row_log_sum_exp = log_sum_exp + static_cast<std::size_t>(row) * shape.heads;
    const auto scores = [&](EdgeIndex slot, int count, float* piece) {
      kernel.incoming_scores(row, slot, count, piece);
    };
    std::fill_n(out, shape.columns(), 0.0F);
    std::fill_n(edge_features, kernel.value_edges.sums_columns(), 0.0F);
    attend_row<kLayout.heads>(
        shape, slots, mask, row_log_sum_exp, scores,
        [&](EdgeIndex slot, int count, const float*, const float* piece) {
          add_weighted_rows(shape, piece, kernel.sources(inputs.value, slot), count, out);
          kernel.value_edges.template add_features<kLayout.heads>(slot, count, piece, edge_features);
        },
        [&](const float* factors) {
          scale_heads(shape, factors, out);
          kernel.value_edges.scale(factors, edge_features);
        });
    kernel.value_edges.add_to_row(edge_features, out);
    if (weights != nullptr) weights_of_row(shape, slots, row_log_sum_exp, weights, scores);
  });
}

template <Layout kLayout>
void backward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
              const float* output, const float* output_gradient, const RowStatistics& statistics,
              const Gatv2EdgeSums& edge_sums, float* partials, const Gatv2Gradients& gradients) {
  const Kernel<kLayout> kernel{graph, inputs};
  const DropoutMask mask(dropout);
  const std::size_t columns = kernel.vector_columns();
  const std::size_t chunks = graph.incoming_chunks.size() - 1;
  std::fill_n(partials, chunks * kernel.partial_columns(), 0.0F);
  destination_pass(kernel, mask, output, output_gradient, statistics, edge_sums, partials, gradients);
  source_pass(kernel, mask, output_gradient, statistics, edge_sums, gradients);
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
  with_layout({inputs.heads, inputs.width}, [&](auto layout) {
    forward<layout()>(graph, inputs, dropout, output, log_sum_exp, edge_sums, weights);
  });
}

void gatv2_backward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
                    const float* output, const float* output_gradient, const RowStatistics& statistics,
                    const Gatv2EdgeSums& edge_sums, float* partials, const Gatv2Gradients& gradients) {
  with_layout({inputs.heads, inputs.width}, [&](auto layout) {
    backward<layout()>(graph, inputs, dropout, output, output_gradient, statistics, edge_sums, partials, gradients);
  });
}

}  // namespace edgewise::attention
