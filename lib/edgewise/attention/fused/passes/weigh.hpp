#pragma once

#include "edgewise/attention/fused/passes/problem.hpp"
#include "edgewise/attention/fused/traversal/row_blocks.hpp"
#include "edgewise/attention/normalisers/row_statistics.hpp"

/// @file
/// How normalisers turn the scores of a block of rows into weights. The passes call these steps through function
/// pointers, once per block, so that a pass is compiled once for all normalisers.
namespace edgewise::attention::fused {

/// Weights of rows that sum to 1 are exp(score), without a maximum, and their sums divide the weighted sums of rows
/// afterwards. If the sum of a row leaves this range, a score of the row may have been too large or all of them too
/// small: then the row is processed again with its maximum subtracted. So the same rows are processed again, with the
/// same result, in whatever parts the edges come.
struct SafeSums {
  static constexpr float kSmallest = 0x1p-64F, kLargest = 0x1p64F;

  static bool contain(float sum) { return sum >= kSmallest && sum <= kLargest; }
};

/// Forward: turns scores into weights. Those that sum to 1 are still to be divided by their sum.
template <class Normaliser>
void weigh_forward(const RowBlock& block, int heads, float* scores) {
  if constexpr (Normaliser::kSumsToOne) {
    constexpr float kTooLarge = 87;  // the sum leaves its range, and stays finite for a few edges
    for (int i = 0; i < block.count * heads; i += kLanes) {
      const Floats score = load(scores + i);
      store(scores + i, simd::exp(score > kTooLarge ? Floats{} + kTooLarge : score));
    }
  } else {
    for (const RowPart& part : block) {
      const RowStatistics<Floats> row{Floats{} + 1.0F / static_cast<float>(block.edges_of_row(part)), Floats{}};
      float* of = scores + part.begin * heads;
      const int count = (part.end - part.begin) * heads;
      for (int i = 0; i < count; i += kLanes) {
        const Floats score = load(of + i);
        store(of + i, i + kLane < count ? Normaliser::weight(score, row) : score);
      }
    }
  }
}

/// Turns scores into weights, with the row statistics and maxima of a forward pass.
template <class Normaliser>
void weigh_known(const RowBlock& block, const AnyLayout& layout, Rows<const float> statistics,
                 Rows<const float> maxima, float* scores) {
  for (const RowPart& part : block) {
    RowStatistics<Floats> row{Floats{} + 1.0F / static_cast<float>(block.edges_of_row(part)), Floats{}};
    Floats maximum{};
    if (Normaliser::kSumsToOne && part.end > part.begin) {
      row.row = layout.repeat_row(statistics[part.row]);
      maximum = layout.repeat_row(maxima[part.row]);
    }
    float* of = scores + part.begin * layout.heads();
    const int count = (part.end - part.begin) * layout.heads();
    for (int i = 0; i < count; i += kLanes) {
      const Floats score = load(of + i);
      store(of + i, i + kLane < count ? Normaliser::weight(score - maximum, row) : score);
    }
  }
}

/// The edges of a block of sources: `nodes` are their destinations. Both arrays are read a whole vector at a time.
struct SourceEdges {
  const Node* nodes;
  const graph::StoredEdge* slots;
  int count;
};

/// Turns scores into weights after dropout, and their gradients into those of x.
///   forward was   score = activate(x),  weight = normaliser(score),  dropped = weight * dropout factor
///   so now        weight gradient = dropped gradient * dropout factor,  score gradient = normaliser'(weight gradient),
///                 x gradient = activate'(score gradient)
/// Whether there is dropout is known to the compiler, since that decides whether its product becomes part of an fma.
template <bool kDrops, class Normaliser, class Score, class Layout>
EDGEWISE_INLINE void weigh_edges_backward(const Score& score, const Layout& layout, const SourceEdges& edges,
                                          Rows<const float> statistics, const HeadDropout& dropout, float* scores,
                                          float* gradients) {
  const bool has_maxima = statistics.stride > 2 * static_cast<std::size_t>(layout.heads());
  for (int e = 0; e < edges.count; e += layout.edges()) {
    float* of_scores = scores + e * layout.heads();
    float* of_gradients = gradients + e * layout.heads();
    RowStatistics<Floats> row{};
    if constexpr (Normaliser::kUsesStatistics)
      row.row = layout.gather(statistics.data, edges.nodes + e, statistics.stride);
    if constexpr (Normaliser::kSumsToOne)
      row.delta = layout.gather(statistics.data + layout.heads(), edges.nodes + e, statistics.stride);
    const Floats of_edges = load(of_scores);
    Floats shifted = of_edges;
    if (Normaliser::kSumsToOne && has_maxima)
      shifted -= layout.gather(statistics.data + 2 * layout.heads(), edges.nodes + e, statistics.stride);
    const Floats weight = Normaliser::weight(shifted, row);
    Floats factor{};
    if constexpr (kDrops) factor = dropout.factors(layout, edges.slots + e);
    Floats gradient = kDrops ? load(of_gradients) * factor : load(of_gradients);
    if constexpr (kDrops && Score::kIsPerHead) gradient = rounded(gradient);  // as it always was
    store(of_scores, kDrops ? weight * factor : weight);
    store(of_gradients, score.through(of_edges, Normaliser::gradient(of_edges, weight, gradient, row)));
  }
}

/// For the layouts with kHeads heads; 0: any. Numbers of one head are gathered half as fast if that is not known.
template <class Normaliser, class Score, int kHeads>
void weigh_backward(const Score& score, const AnyLayout& any, const SourceEdges& edges, Rows<const float> statistics,
                    const HeadDropout& dropout, float* scores, float* gradients) {
  Layout<kHeads, kHeads == 0 ? 0 : kLanes> layout;
  if constexpr (kHeads == 0) layout = any;
  if (dropout.mask.is_active())
    weigh_edges_backward<true, Normaliser>(score, layout, edges, statistics, dropout, scores, gradients);
  else
    weigh_edges_backward<false, Normaliser>(score, layout, edges, statistics, dropout, scores, gradients);
}

/// A normaliser, as the passes of a score see it.
template <class Score>
struct Steps {
  using Backward = void (*)(const Score&, const AnyLayout&, const SourceEdges&, Rows<const float> statistics,
                            const HeadDropout&, float* scores, float* gradients);

  bool sums_to_one;
  bool uses_statistics;
  void (*forward)(const RowBlock&, int heads, float* scores);
  void (*known)(const RowBlock&, const AnyLayout&, Rows<const float> statistics, Rows<const float> maxima,
                float* scores);
  Backward backward_of_one, backward_of_four, backward_of_eight, backward_of_any;  ///< By the number of heads.

  template <class Layout>
  Backward backward() const {
    constexpr int kHeads = Layout().heads();
    return kHeads == 1 ? backward_of_one : kHeads == 4 ? backward_of_four : kHeads == 8 ? backward_of_eight
                                                                                        : backward_of_any;
  }
};

template <class Score, class Normaliser>
inline constexpr Steps<Score> kSteps = {
    Normaliser::kSumsToOne,
    Normaliser::kUsesStatistics,
    &weigh_forward<Normaliser>,
    &weigh_known<Normaliser>,
    &weigh_backward<Normaliser, Score, 1>,
    &weigh_backward<Normaliser, Score, 4>,
    &weigh_backward<Normaliser, Score, 8>,
    &weigh_backward<Normaliser, Score, 0>};

}  // namespace edgewise::attention::fused
