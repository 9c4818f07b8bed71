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
template <class Element>
struct Gathered {
  Rows<const Element> table;
  const Node* nodes;

  EDGEWISE_INLINE const Element* operator[](int e) const { return table[nodes[e]]; }
  Gathered from(int e) const { return {table, nodes + e}; }
};

/// The end of the edges whose rows a pass iterates over, its own rows. It gathers those at the other end, the far rows.
enum class End { destination, source };

/// Dropout of the attention weights of a group of heads.
struct HeadDropout {
  edgewise::detail::DropoutMask mask;
  int all_heads;   ///< Heads of the layer.
  int first_head;  ///< The first head of the group.

  /// 0 or 1 / (1 - probability) for `layout.edges()` edges with these slots; reads a whole vector of slots.
  template <class Layout>
  EDGEWISE_INLINE Floats factors(const Layout& layout, const graph::StoredEdge* slots) const {
    return factors_of(layout, __builtin_shuffle(load_indices(slots), kLane / layout.heads()));
  }
  /// Likewise for consecutive slots.
  template <class Layout>
  EDGEWISE_INLINE Floats factors(const Layout& layout, EdgeIndex first_slot) const {
    return factors_of(layout, kLane / layout.heads() + static_cast<std::int32_t>(first_slot));
  }

 private:
  template <class Layout>
  EDGEWISE_INLINE Floats factors_of(const Layout& layout, Ints slot) const {
    const Ints head = (kLane & (layout.heads() - 1)) + first_head;
    return mask.factors_of(std::bit_cast<simd::NativeUint>(slot * all_heads + head));
  }
};

/// The inputs and outputs of the passes, for a group of heads.
template <class Score, class Element>
struct Problem {
  using QueryKey = std::conditional_t<Score::kIsPerHead, float, Element>;

  const graph::FrozenGraph& mask;
  Score score;
  Rows<const QueryKey> query;
  Rows<const QueryKey> key;
  Rows<const Element> value;
  Rows<const Element> output_gradient;
  const float* attention_vector;
  FeatureTable features;                ///< The edge features of `mask`.
  Rows<const float> edge_weight;        ///< One row per edge feature; data is nullptr if there is none.
  Rows<const float> value_edge_weight;  ///< Likewise.
  Rows<const float> edge_bias;          ///< Likewise, with one number per head.
  HeadDropout dropout;
  Rows<float> output;
  Rows<float> row_statistics;
  std::size_t near_bytes;  ///< Tables up to this size are not prefetched.

  bool is_far(std::size_t rows, int columns) const {
    return rows * static_cast<std::size_t>(columns) * sizeof(Element) > near_bytes;
  }
  bool has_far_features() const { return features.bytes() > near_bytes; }

  /// For a pass over the rows of `own`. It gathers two rows per column, or one if queries and keys are one per head.
  template <class Layout>
  Tiles tiles(End own, const Layout& layout) const {
    const bool is_forward = own == End::destination;
    const std::vector<Node>& chunks = is_forward ? mask.incoming_chunks : mask.outgoing_chunks;
    if (!mask.columns_ascend) return Tiles(chunks);
    const std::size_t rows = Score::kIsPerHead ? 1 : 2;
    return {is_forward ? mask.incoming : mask.outgoing, chunks,
            is_forward ? mask.source_count() : mask.destination_count(),
            rows * static_cast<std::size_t>(layout.columns()) * sizeof(Element), near_bytes};
  }
};

/// A row whose vectors are used many times: it is kept in registers if its size is a compile-time constant.
template <class Layout, class Element>
struct Row {
  static constexpr int kKept = Layout::kIsStatic ? Layout().vectors() : 1;
  Floats kept[kKept];
  const Element* from;

  EDGEWISE_INLINE explicit Row(const Element* row) : from(row) {
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
template <End kOwn, class Score, class Layout, class Own, class Element, class Vector>
EDGEWISE_INLINE Floats column_scores(const Score& score, const Layout& layout, const Own& own,
                                     const Gathered<Element>& far, const Vector& attention_vector) {
  const Element* rows[kLanes];
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

/// For each of `count` edges: sums[v] += weight of the head * vector first + v of the far row. before(e) is called
/// first, to prefetch what is read later.
template <int kSize, class Layout, class Element, class Before>
EDGEWISE_INLINE void add_weighted_rows(const Layout& layout, int first, const float* weights,
                                       const Gathered<Element>& far, int count, Floats* sums, const Before& before) {
  const auto spread = layout.template spread<kSize>(first);
  for (int e = 0; e < count; ++e) {
    before(e);
    const Element* row = far[e] + first * kLanes;
    Floats of_columns[kSize];
    spread(layout.repeat(weights + e * layout.heads()), of_columns);
    for (int v = 0; v < kSize; ++v) sums[v] += of_columns[v] * load(row + v * kLanes);
  }
}

/// Adds the gradients of vectors first + v of own rows and, at the source, of the attention vector, given those of the
/// scores. Those of own rows are not yet multiplied by the attention vector or the scale. gradients(e) points at the
/// score gradients of the heads of edge e, and own(e, v) is as above. each(e, gradients) gets the contribution of edge
/// e to the gradients of own rows.
template <End kOwn, int kSize, class Score, class Layout, class OfEdge, class Own, class Element, class Each>
EDGEWISE_INLINE void add_score_gradients(const Score& score, const Layout& layout, int first, const OfEdge& gradients,
                                         const Own& own, const Gathered<Element>& far, int count, Floats* own_sums,
                                         Floats* vector_sums, const Each& each) {
  const auto spread = layout.template spread<kSize>(first);
  for (int e = 0; e < count; ++e) {
    const Element* row = far[e] + first * kLanes;
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
