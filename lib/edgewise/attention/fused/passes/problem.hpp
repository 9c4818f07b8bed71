#pragma once

#include "edgewise/attention/fused/lanes/layout.hpp"
#include "edgewise/attention/fused/passes/edge_features.hpp"
#include "edgewise/attention/fused/traversal/row_blocks.hpp"
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
    const Ints slot = __builtin_shuffle(load_indices(slots), layout.edge_of_lane());
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
struct Group {
  const graph::FrozenGraph& mask;
  bool is_per_head;  ///< As the score says: whether queries and keys have one number per head.
  AnyLayout layout;
  Rows<const float> query;
  Rows<const float> key;
  Rows<const float> value;
  Rows<const float> output_gradient;
  const float* attention_vector;        ///< nullptr if the score has none.
  float scale;                          ///< That of the score.
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

  /// Whether that many rows of the packed tables are worth prefetching.
  bool is_far(std::size_t rows) const {
    return rows * static_cast<std::size_t>(layout.columns()) * sizeof(float) > near_bytes;
  }
  bool has_edges() const {
    return edge_weight.data != nullptr || value_edge_weight.data != nullptr || edge_bias.data != nullptr;
  }
  bool has_far_features() const { return features.bytes() > near_bytes; }

  /// Whether a pass gathers from two tables that are as large, keys and values or queries and output gradients. Then
  /// it makes a sweep for each, so that a cache holds twice as many of their rows.
  bool has_two_tables() const { return !is_per_head && key.data != value.data; }

  /// How a pass over the rows of `own` goes through the edges.
  Traversal traversal(End own, const graph::BlockedEdges* blocks) const;

  /// The blocks of columns that the passes go through; nullptr: none.
  const graph::BlockedEdges* blocks(graph::LazyBlockedEdges::Make make) const;

 private:
  Tiles tiles(End own) const;
};

/// Likewise, with their score.
template <class Score>
struct Problem : Group {
  Score score;
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
