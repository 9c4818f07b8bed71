#include "edgewise/attention/gatv2.hpp"

#include "edgewise/attention/detail/edge_terms.hpp"
#include "edgewise/attention/detail/softmax_rows.hpp"
#include "edgewise/attention/detail/stored_rows.hpp"

namespace edgewise::attention {
namespace {

using namespace detail;

/// Vectors of one row side by side.
template <class Floats, int kVectors>
struct Tile {
  Floats vectors[kVectors];
  Floats& operator[](int i) { return vectors[i]; }
  Floats operator[](int i) const { return vectors[i]; }
};

/// What both passes read. `own` is the row of one end of the edges, `other` a gathered row of the other end:
/// x = own + other + edge term is the same from either end. Rows are worked on a tile at a time: the whole row where
/// its size is a constant, otherwise a vector. kHasEdges: there is an edge weight.
template <Layout kLayout, bool kHasEdges, Storage kStorage>
struct Kernel : EdgeEnds {
  static constexpr int kHeads = kLayout.heads;
  static constexpr int kTile = std::max(1, kLayout.vectors());
  using Floats = typename RowVectors<kLayout>::Floats;
  using RowTile = Tile<Floats, kTile>;

  const Gatv2Inputs& inputs;
  StoredTables tables;
  RowVectors<kLayout> vectors{shape};
  EdgeTerms value_edges{graph.edge_features, inputs.value_edge_weight, shape};
  int score_features = inputs.edge_weight == nullptr ? 0 : static_cast<int>(graph.edge_features.cols());

  GatheredRows<kStorage> from_sources(const float* table, EdgeIndex slot) const {
    return sources<kStorage>(table).from(slot);
  }
  GatheredRows<kStorage> from_destinations(const float* table, EdgeIndex position) const {
    return destinations<kStorage>(table).from(position);
  }
  const float* stored_row(const float* table, Node row) const {
    return table + row * static_cast<std::size_t>(vectors.template stored_columns<kStorage>());
  }
  GatheredRows<kStorage> own_rows(const float* table, const Piece& piece) const { return own<kStorage>(table, piece); }

  /// Of a chunk's partial sum: the gradients of the attention vector, the edge weight and the value edge weight.
  std::size_t vector_columns() const { return static_cast<std::size_t>(shape.columns()); }
  std::size_t edge_columns() const { return vector_columns() * static_cast<std::size_t>(score_features); }
  std::size_t value_edge_columns() const { return vector_columns() * static_cast<std::size_t>(value_edges.count); }
  std::size_t partial_columns() const { return vector_columns() + edge_columns() + value_edge_columns(); }

  EdgeFeatures edge_features(EdgeIndex slot) const {
    return {graph.edge_features.data() + slot * static_cast<EdgeIndex>(graph.edge_features.cols()), score_features};
  }

  /// The tile of x that starts with vector `first`, of the edge in `slot`.
  RowTile x(const float* own, const float* other, EdgeIndex slot, int first) const {
    RowTile sum;
    for (int t = 0; t < kTile; ++t)
      sum[t] = vectors.template load_stored<kStorage>(own, first + t) +
               vectors.template load_stored<kStorage>(other, first + t);
    if constexpr (kHasEdges)
      edge_features(slot).for_each([&](int f, float feature) {
        const float* weight = inputs.edge_weight + f * shape.columns();
        for (int t = 0; t < kTile; ++t) sum[t] += feature * vectors.load(weight, first + t);
      });
    return sum;
  }
  /// The gradient of x of edge e but for the factor of the attention vector.
  Floats through_leaky_relu(Floats x, const float* score_gradients, int e, int vector) const {
    const int heads = kHeads > 0 ? kHeads : shape.heads;
    const Floats gradient = Floats{} + score_gradients[e * heads + vectors.head(vector)];
    return x > 0.0F ? gradient : gradient * inputs.negative_slope;
  }

  template <class SlotOf>
  void scores(GatheredRows<kStorage> own, GatheredRows<kStorage> others, int count, SlotOf slot_of, float* out) const {
    own.columns = others.columns = vectors.template stored_columns<kStorage>();
    sum_terms<Floats, kHeads>(shape.heads, count, 1, out, [=, this, slope = inputs.negative_slope,
                                                           attention_vector = inputs.attention_vector](int e) __attribute__((always_inline)) {
      others.prefetch_after(e);
      const auto activated = [=, this](Floats x, int v) __attribute__((always_inline)) {
        return vectors.load(attention_vector, v) * (x > 0.0F ? x : x * slope);
      };
      if constexpr (kLayout.vectors() > 0)
        return [activated, row = x(own[e], others[e], slot_of(e), 0)](int head) __attribute__((always_inline)) {
          constexpr int kPerHead = kLayout.per_head;
          Floats sum = activated(row[head * kPerHead], head * kPerHead);
          for (int v = head * kPerHead + 1; v < (head + 1) * kPerHead; ++v) sum += activated(row[v], v);
          return sum;
        };
      else
        return [=, this, a = own[e], b = others[e], slot = slot_of(e), per_head = vectors.per_head()](int head) {
          Floats sum{};
          for (int v = head * per_head; v < (head + 1) * per_head; ++v) sum += activated(x(a, b, slot, v)[0], v);
          return sum;
        };
    });
  }
  void incoming_scores(const Piece& piece, float* out) const {
    scores(own_rows(tables.query, piece), from_sources(tables.key, piece.slot), piece.count, incoming_slots(piece.slot),
           out);
  }
  void outgoing_scores(const Piece& piece, float* out) const {
    scores(own_rows(tables.key, piece), from_destinations(tables.query, piece.slot), piece.count,
           outgoing_slots(piece.slot), out);
  }
};

/// Of the part of a destination, from the gradients of its scores: adds to its query's gradient and to the partial sums
/// of the gradients of the attention vector and the edge weight. What the attention vector multiplies everywhere is
/// multiplied once, at the end of a row or of the whole sum.
template <Layout kLayout, bool kHasEdges, Storage kStorage>
void add_destination_gradients(const Kernel<kLayout, kHasEdges, kStorage>& kernel, const RowPart& part,
                               GatheredRows<kStorage> keys, const float* score_gradients, float* vector_partial, float* edge_partial, float* query_gradient) {
  constexpr int kTile = Kernel<kLayout, kHasEdges, kStorage>::kTile;
  using RowTile = typename Kernel<kLayout, kHasEdges, kStorage>::RowTile;
  const RowVectors<kLayout>& vectors = kernel.vectors;
  const float* query = kernel.stored_row(kernel.tables.query, part.row);
  keys.columns = vectors.template stored_columns<kStorage>();
  for (int first = 0; first < vectors.count(); first += kTile) {
    RowTile query_sum{}, vector_sum{};
    for (int e = 0; e < part.count; ++e) {
      const EdgeIndex slot = part.slot + static_cast<EdgeIndex>(e);
      const RowTile x = kernel.x(query, keys[e], slot, first);
      RowTile through;
      for (int t = 0; t < kTile; ++t) {
        through[t] = kernel.through_leaky_relu(x[t], score_gradients, e, first + t);
        query_sum[t] += through[t];
        vector_sum[t] += through[t] * x[t];
      }
      if constexpr (kHasEdges)
        kernel.edge_features(slot).for_each([&](int f, float feature) {
          float* gradient = edge_partial + f * kernel.shape.columns();
          for (int t = 0; t < kTile; ++t) vectors.add(gradient, first + t, feature * through[t]);
        });
    }
    for (int t = 0; t < kTile; ++t) {
      vectors.add(vector_partial, first + t, vector_sum[t]);
      if (query_gradient != nullptr)
        vectors.add(query_gradient, first + t, query_sum[t] * vectors.load(kernel.inputs.attention_vector, first + t));
    }
  }
}

/// Of the part of a source, from the gradients of its scores: adds to its key's gradient.
template <Layout kLayout, bool kHasEdges, Storage kStorage>
void add_key_gradient(const Kernel<kLayout, kHasEdges, kStorage>& kernel, const RowPart& part,
                      GatheredRows<kStorage> queries, const float* score_gradients, float* key_gradient) {
  constexpr int kTile = Kernel<kLayout, kHasEdges, kStorage>::kTile;
  using RowTile = typename Kernel<kLayout, kHasEdges, kStorage>::RowTile;
  const RowVectors<kLayout>& vectors = kernel.vectors;
  const float* key = kernel.stored_row(kernel.tables.key, part.row);
  queries.columns = vectors.template stored_columns<kStorage>();
  const auto slot_of = kernel.outgoing_slots(part.slot);
  for (int first = 0; first < vectors.count(); first += kTile) {
    RowTile key_sum{};
    for (int e = 0; e < part.count; ++e) {
      const RowTile x = kernel.x(key, queries[e], slot_of(e), first);
      for (int t = 0; t < kTile; ++t) key_sum[t] += kernel.through_leaky_relu(x[t], score_gradients, e, first + t);
    }
    for (int t = 0; t < kTile; ++t)
      vectors.add(key_gradient, first + t, key_sum[t] * vectors.load(kernel.inputs.attention_vector, first + t));
  }
}

/// Gradients of the queries, the attention vector and the edge weights; fills statistics.dot and edge_sums.gradient.
template <Layout kLayout, bool kHasEdges, Storage kStorage>
void destination_pass(const Kernel<kLayout, kHasEdges, kStorage>& kernel, const DropoutMask& mask, const float* output,
                      const float* output_gradient, const RowStatistics& statistics,
                      const Gatv2EdgeSums& edge_sums, float* partials, const Gatv2Gradients& gradients) {
  const HeadShape& shape = kernel.shape;
  const EdgeTerms& value_edges = kernel.value_edges;
  const auto edge_partial = [&](std::size_t chunk) {
    return partials + chunk * kernel.partial_columns() + kernel.vector_columns();
  };
  differentiate_rows<kLayout.heads>(
      shape, kernel.incoming(), mask, statistics, 1,
      [&](const Piece& piece, std::size_t chunk) {
        dot_of_rows<kLayout, kStorage>(shape, piece.row, piece.rows, output, kernel.tables.output_gradient,
                                       statistics.dot + static_cast<std::size_t>(piece.row) * shape.heads);
        for (int r = 0; r < piece.rows && value_edges.count > 0; ++r) {
          const Node row = piece.row + static_cast<Node>(r);
          const float* of_row = output_gradient + kernel.offset(row);
          value_edges.project(of_row, edge_sums.gradient + value_edges.offset(row));
          value_edges.add_outer(edge_sums.features + value_edges.offset(row), of_row,
                                edge_partial(chunk) + kernel.edge_columns());
        }
      },
      [&](const Piece& piece, float* scores) { kernel.incoming_scores(piece, scores); },
      [&](const Piece& piece, float* weight_gradients) {
        dot_rows<kLayout>(shape, kernel.own_rows(kernel.tables.output_gradient, piece),
                          kernel.from_sources(kernel.tables.value, piece.slot), 1, piece.count, weight_gradients);
        value_edges.add_products<kLayout.heads>(piece.count, kernel.incoming_slots(piece.slot), piece.row_of,
                                                edge_sums.gradient, 1, weight_gradients);
      },
      [&](const RowPart& part, const float* score_gradients, std::size_t chunk) {
        float* query_gradient = gradients.query == nullptr ? nullptr : gradients.query + kernel.offset(part.row);
        add_destination_gradients(kernel, part, kernel.from_sources(kernel.tables.key, part.slot), score_gradients,
                                  edge_partial(chunk) - kernel.vector_columns(),
                                  edge_partial(chunk), query_gradient);
      });
}

/// Gradients of the keys and the values.
template <Layout kLayout, bool kHasEdges, Storage kStorage>
void source_pass(const Kernel<kLayout, kHasEdges, kStorage>& kernel, const DropoutMask& mask,
                 const RowStatistics& statistics, const Gatv2EdgeSums& edge_sums, const Gatv2Gradients& gradients) {
  const HeadShape& shape = kernel.shape;
  differentiate_columns<kLayout.heads>(
      kernel, mask, statistics, 1,
      [&](const Piece& piece, float* scores) { kernel.outgoing_scores(piece, scores); },
      [&](const Piece& piece, float* weight_gradients) {
        dot_rows<kLayout>(shape, kernel.own_rows(kernel.tables.value, piece),
                          kernel.from_destinations(kernel.tables.output_gradient, piece.slot), 1, piece.count,
                          weight_gradients);
        kernel.value_edges.template add_products<kLayout.heads>(
            piece.count, kernel.outgoing_slots(piece.slot), kernel.graph.outgoing.columns.data() + piece.slot,
            edge_sums.gradient, 1, weight_gradients);
      },
      [](const Piece&, const float*, float*) {},
      [&](const RowPart& part, const float* weights, const float* score_gradients, std::size_t) {
        if (gradients.value != nullptr)
          sum_rows<kLayout, Start::present>(
              shape, weights, kernel.from_destinations(kernel.tables.output_gradient, part.slot), part.count, nullptr,
              gradients.value + kernel.offset(part.row));
        if (gradients.key != nullptr)
          add_key_gradient(kernel, part, kernel.from_destinations(kernel.tables.query, part.slot), score_gradients,
                           gradients.key + kernel.offset(part.row));
      });
}

template <Layout kLayout, bool kHasEdges, Storage kStorage>
void forward(const Kernel<kLayout, kHasEdges, kStorage>& kernel, const DropoutMask& mask, float* output, float* log_sum_exp,
             const Gatv2EdgeSums& edge_sums, float* weights) {
  const HeadShape& shape = kernel.shape;
  const EdgeTerms& value_edges = kernel.value_edges;
  const auto scores = [&](const Piece& piece, float* out) { kernel.incoming_scores(piece, out); };
  attend_rows<kLayout.heads>(
      shape, kernel.incoming(), mask, log_sum_exp, scores,
      [&](const RowPart& part, const PartWeights& of_part, const auto& softmax) {
        float* out = output + kernel.offset(part.row);
        sum_part<kLayout>(shape, part, of_part.dropped, kernel.from_sources(kernel.tables.value, part.slot), softmax,
                          out);
        value_edges.sum_part<kLayout.heads>(part, of_part.dropped, softmax,
                                            edge_sums.features + value_edges.offset(part.row), out);
      });
  if (weights != nullptr)
    weights_of_rows(shape, kernel.incoming(), log_sum_exp, weights, scores);
}

template <Layout kLayout, bool kHasEdges, Storage kStorage>
void backward(const Kernel<kLayout, kHasEdges, kStorage>& kernel, const DropoutMask& mask, const float* output,
              const float* output_gradient, const RowStatistics& statistics, const Gatv2EdgeSums& edge_sums,
              float* partials, const Gatv2Gradients& gradients) {
  const std::size_t columns = kernel.vector_columns();
  const std::size_t chunks = kernel.graph.incoming_chunks.size() - 1;
  std::fill_n(partials, chunks * kernel.partial_columns(), 0.0F);
  destination_pass(kernel, mask, output, output_gradient, statistics, edge_sums, partials, gradients);
  source_pass(kernel, mask, statistics, edge_sums, gradients);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const float* vector_partial = partials + chunk * kernel.partial_columns();
    const float* edge_partial = vector_partial + columns;
    if (gradients.attention_vector != nullptr) add_partials(vector_partial, 1, columns, gradients.attention_vector);
    if (gradients.value_edge_weight != nullptr)
      add_partials(edge_partial + kernel.edge_columns(), 1, kernel.value_edge_columns(), gradients.value_edge_weight);
    if (gradients.edge_weight == nullptr) continue;
    for (std::size_t i = 0; i < kernel.edge_columns(); ++i)
      gradients.edge_weight[i] += edge_partial[i] * kernel.inputs.attention_vector[i % columns];
  }
}

/// Calls `body` with the kernel that fits the inputs.
template <class Body>
void with_kernel(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const float* output_gradient,
                 Body&& body) {
  const HeadShape shape(inputs.heads, inputs.width);
  const StoredTables tables{inputs.query, inputs.key, inputs.value, output_gradient};
  with_stored(shape, graph, inputs.storage, tables, [&]<Layout kLayout, Storage kStorage>(const StoredTables& rows) {
    if (inputs.edge_weight == nullptr)
      body(Kernel<kLayout, false, kStorage>{{graph, shape}, inputs, rows});
    else
      body(Kernel<kLayout, true, kStorage>{{graph, shape}, inputs, rows});
  });
}

}  // namespace

void gatv2_forward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
                   float* output, float* log_sum_exp, const Gatv2EdgeSums& edge_sums, float* weights) {
  with_kernel(graph, inputs, nullptr, [&](const auto& kernel) {
    forward(kernel, DropoutMask(dropout.probability, dropout.key), output, log_sum_exp, edge_sums, weights);
  });
}

void gatv2_backward(const graph::FrozenGraph& graph, const Gatv2Inputs& inputs, const WeightDropout& dropout,
                    const float* output, const float* output_gradient, const RowStatistics& statistics,
                    const Gatv2EdgeSums& edge_sums, float* partials, const Gatv2Gradients& gradients) {
  with_kernel(graph, inputs, output_gradient, [&](const auto& kernel) {
    backward(kernel, DropoutMask(dropout.probability, dropout.key), output, output_gradient, statistics, edge_sums, partials, gradients);
  });
}

}  // namespace edgewise::attention
