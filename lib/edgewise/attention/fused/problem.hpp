#pragma once

#include "edgewise/attention/fused/edge_features.hpp"
#include "edgewise/attention/fused/layout.hpp"
#include "edgewise/attention/fused/row_blocks.hpp"
#include "edgewise/core/detail/dropout_mask.hpp"

/// @file
/// What the passes of the driver share: the packed tables of a group of heads, and the three loops over edges that
/// every pass is built from.
namespace edgewise::attention::fused {

/// A packed table, starting at the first column of a group of heads.
template <class Element>
struct Rows {
  Element* data = nullptr;
  std::size_t stride = 0;

  EDGEWISE_INLINE Element* operator[](Node row) const { return data + row * stride; }
};

/// Rows gathered along edges: that of edge e is table[nodes[e]].
struct Gathered {
  Rows<const float> table;
  const Node* nodes;

  EDGEWISE_INLINE const float* operator[](int e) const { return table[nodes[e]]; }
  Gathered from(int e) const { return {table, nodes + e}; }
};

/// The end of the edges whose rows a pass iterates over, its own rows. It gathers those at the other end, the far rows.
enum class End { destination, source };

/// Dropout of the attention weights of a group of heads.
struct HeadDropout {
  edgewise::detail::DropoutMask mask;
  int all_heads;   ///< Heads of the layer.
  int first_head;  ///< The first head of the group.
  bool is_long;    ///< Whether there are more than 2^32 weights.

  /// 0 or 1 / (1 - probability) for `layout.edges()` edges with these slots; reads a whole vector of slots.
  template <class Layout>
  EDGEWISE_INLINE Floats factors(const Layout& layout, const graph::StoredEdge* slots) const {
    if (is_long) return factors_one_by_one(layout.heads(), slots);
    const Ints slot = __builtin_shuffle(load_indices(slots), kLane / layout.heads());
    const Ints head = (kLane & (layout.heads() - 1)) + first_head;
    return mask.factors_of(std::bit_cast<simd::NativeUint>(slot) * static_cast<std::uint32_t>(all_heads) +
                           std::bit_cast<simd::NativeUint>(head));
  }

 private:
  [[gnu::noinline]] Floats factors_one_by_one(int heads, const graph::StoredEdge* slots) const {
    Floats factors{};
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t first = std::uint64_t{slots[lane / heads]} * static_cast<std::uint64_t>(all_heads);
      factors[lane] = mask.factor_of(first + static_cast<std::uint64_t>(first_head + lane % heads));
    }
    return factors;
  }
};

/// The inputs and outputs of the passes, for a group of heads.
template <class Score>
struct Problem {
  const graph::FrozenGraph& mask;
  Score score;
  Rows<const float> query;
  Rows<const float> key;
  Rows<const float> value;
  Rows<const float> output_gradient;
  const float* attention_vector;
  FeatureTable features;                ///< The edge features of `mask`.
  Rows<const float> edge_weight;        ///< One row per edge feature; data is nullptr if there is none.
  Rows<const float> value_edge_weight;  ///< Likewise.
  Rows<const float> edge_bias;          ///< Likewise, with one number per head.
  HeadDropout dropout;
  Rows<float> output;
  Rows<float> row_statistics;
  Rows<float> row_maxima;     ///< Subtracted from the scores of a row: see `row_statistics_size`.
  std::size_t near_bytes;     ///< Tables up to this size are not prefetched.
  std::size_t column_blocks;  ///< 0: as the size of the tables asks for.

  bool is_far(std::size_t rows, int columns) const {
    return rows * static_cast<std::size_t>(columns) * sizeof(float) > near_bytes;
  }
  bool has_far_features() const { return features.bytes() > near_bytes; }

  /// The number of rows that a pass over the rows of `own` gathers from.
  std::size_t far_rows(End own) const {
    return own == End::destination ? mask.source_count() : mask.destination_count();
  }
  const graph::Csr& edges(End own) const { return own == End::destination ? mask.incoming : mask.outgoing; }
  const std::vector<Node>& row_chunks(End own) const {
    return own == End::destination ? mask.incoming_chunks : mask.outgoing_chunks;
  }

  /// Whether a pass gathers from two tables that are as large, keys and values or queries and output gradients. Then
  /// it makes a sweep for each, so that a cache holds twice as many of their rows.
  bool has_two_tables() const {
    return !Score::kIsPerHead && static_cast<const void*>(key.data) != static_cast<const void*>(value.data);
  }

  /// How a pass over the rows of `own` goes through the edges. columns: of the tables that it gathers from.
  Traversal traversal(End own, int columns, const graph::BlockedEdges* blocks) const {
    if (blocks != nullptr)
      return {edges(own), Tiles(row_chunks(own)), own == End::destination ? &blocks->incoming : &blocks->outgoing};
    if (!mask.columns_ascend) return {edges(own), Tiles(row_chunks(own))};
    return {edges(own), tiles(own, columns)};
  }

  /// The blocks of columns that the passes go through; nullptr: none.
  const graph::BlockedEdges* blocks(int columns, graph::LazyBlockedEdges::Make make) const {
    using Blocks = graph::LazyBlockedEdges;
    if (!mask.columns_ascend || column_blocks == 1) return nullptr;
    const auto get = [&](const graph::BlockCounts& counts, Blocks::If condition) {
      return mask.blocks.get(mask.both_ways(), counts, make, condition);
    };
    if (column_blocks > 0) return get({column_blocks, column_blocks}, Blocks::If::always);
    const std::size_t row_bytes = static_cast<std::size_t>(columns) * sizeof(float);
    const auto counts_for = [&](std::size_t sources, std::size_t destinations) {
      return graph::BlockCounts{block_count(sources, row_bytes, mask.incoming),
                                block_count(destinations, row_bytes, mask.outgoing)};
    };
    if (counts_for(mask.source_count(), mask.destination_count()) == graph::BlockCounts{} ||
        tiles(End::destination, columns).are_used() || tiles(End::source, columns).are_used())
      return nullptr;
    const graph::BlockCounts busy = mask.blocks.busy(mask.both_ways()),
                             counts = counts_for(busy.sources, busy.destinations);
    return counts == graph::BlockCounts{} ? nullptr : get(counts, Blocks::If::they_pay);
  }

 private:
  Tiles tiles(End own, int columns) const {
    const std::size_t tables = Score::kIsPerHead ? 1 : 2;
    return {edges(own), row_chunks(own), far_rows(own),
            tables * static_cast<std::size_t>(columns) * sizeof(float), near_bytes};
  }
};

/// A row whose vectors are used many times: it is kept in registers if its size is a compile-time constant.
template <class Layout>
struct Row {
  static constexpr int kKept = Layout::kIsStatic ? Layout().vectors() : 1;
  Floats kept[kKept];
  const float* from;

  EDGEWISE_INLINE explicit Row(const float* row) : from(row) {
    if constexpr (Layout::kIsStatic)
      for (int v = 0; v < kKept; ++v) kept[v] = load(row + v * kLanes);
  }
  EDGEWISE_INLINE Floats operator[](int v) const {
    if constexpr (Layout::kIsStatic)
      return kept[v];
    else
      return load(from + v * kLanes);
  }
};

/// The scores of `layout.edges()` edges before bias and activation, if queries and keys are rows of columns. own(e, v)
/// is vector v of the own row of edge e.
template <End kOwn, class Score, class Layout, class Own, class Vector>
EDGEWISE_INLINE Floats column_scores(const Score& score, const Layout& layout, const Own& own,
                                     const Gathered& far, const Vector& attention_vector) {
  const float* rows[kLanes];
  for (int e = 0; e < layout.edges(); ++e) rows[e] = far[e];
  const Floats sums = layout.sums_of_heads([&](int e, int v) EDGEWISE_INLINE_LAMBDA {
    const Floats other = load(rows[e] + v * kLanes);
    const Floats value = kOwn == End::destination ? score.value(own(e, v), other) : score.value(other, own(e, v));
    if constexpr (Score::kHasVector)
      return attention_vector[v] * value;
    else
      return value;
  });
  return score.scale * sums;
}

/// For each of `count` edges: sums[v] += weight of the head * vector first + v of the far row. each(e, weights) gets
/// the weights of its heads, repeated.
template <int kSize, class Layout, class Each>
EDGEWISE_INLINE void add_weighted_rows(const Layout& layout, int first, const float* weights,
                                       const Gathered& far, int count, Floats* sums, const Each& each) {
  const auto spread = layout.template spread<kSize>(first);
  for (int e = 0; e < count; ++e) {
    const float* row = far[e] + first * kLanes;
    const Floats of_heads = layout.repeat(weights + e * layout.heads());
    each(e, of_heads);
    Floats of_columns[kSize];
    spread(of_heads, of_columns);
    for (int v = 0; v < kSize; ++v) sums[v] += of_columns[v] * load(row + v * kLanes);
  }
}

/// Adds the gradients of vectors first + v of own rows and, at the source, of the attention vector, given those of the
/// scores. Those of own rows are not yet multiplied by the attention vector or the scale. gradients(e) points at the
/// score gradients of the heads of edge e, and own(e, v) is as above. each(e, gradients) gets the contribution of edge
/// e to the gradients of own rows.
template <End kOwn, int kSize, class Score, class Layout, class OfEdge, class Own, class Each>
EDGEWISE_INLINE void add_score_gradients(const Score& score, const Layout& layout, int first, const OfEdge& gradients,
                                         const Own& own, const Gathered& far, int count, Floats* own_sums,
                                         Floats* vector_sums, const Each& each) {
  const auto spread = layout.template spread<kSize>(first);
  for (int e = 0; e < count; ++e) {
    const float* row = far[e] + first * kLanes;
    Floats of_columns[kSize], of_edge[kSize];
    spread(layout.repeat(gradients(e)), of_columns);
    for (int v = 0; v < kSize; ++v) {
      const Floats other = load(row + v * kLanes), mine = own(e, first + v), gradient = of_columns[v];
      const auto through =
          kOwn == End::destination ? score.gradient(mine, other, gradient) : score.gradient(other, mine, gradient);
      of_edge[v] = kOwn == End::destination ? through.query : through.key;
      own_sums[v] += of_edge[v];
      if constexpr (Score::kHasVector && kOwn == End::source) vector_sums[v] += through.vector;
    }
    each(e, of_edge);
  }
}

}  // namespace edgewise::attention::fused
