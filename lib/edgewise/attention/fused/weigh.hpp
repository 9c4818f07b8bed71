#pragma once

#include "edgewise/attention/fused/problem.hpp"
#include "edgewise/attention/fused/row_blocks.hpp"
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
template <class Normaliser, class Layout>
void weigh_forward(const RowBlock& block, const Layout& layout, float* scores) {
  if constexpr (Normaliser::kSumsToOne) {
    constexpr float kTooLarge = 87;  // the sum leaves its range, and stays finite for a few edges
    for (int i = 0; i < block.count * layout.heads(); i += kLanes) {
      const Floats score = load(scores + i);
      store(scores + i, simd::exp(score > kTooLarge ? Floats{} + kTooLarge : score));
    }
  } else {
    for (const RowPart& part : block) {
      const RowStatistics<Floats> row{Floats{} + 1.0F / static_cast<float>(block.edges_of_row(part)), Floats{}};
      float* of = scores + part.begin * layout.heads();
      const int count = (part.end - part.begin) * layout.heads();
      for (int i = 0; i < count; i += kLanes) {
        const Floats score = load(of + i);
        store(of + i, i + kLane < count ? Normaliser::weight(score, row) : score);
      }
    }
  }
}

/// Turns scores into weights, with the row statistics and maxima of a forward pass.
template <class Normaliser, class Layout>
void weigh_known(const RowBlock& block, const Layout& layout, Rows<const float> statistics, Rows<const float> maxima,
                 float* scores) {
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

template <class Normaliser, class Score, class Layout>
void weigh_backward(const Score& score, const Layout& layout, const SourceEdges& edges, Rows<const float> statistics,
                    const HeadDropout& dropout, float* scores, float* gradients) {
  if (dropout.mask.is_active())
    weigh_edges_backward<true, Normaliser>(score, layout, edges, statistics, dropout, scores, gradients);
  else
    weigh_edges_backward<false, Normaliser>(score, layout, edges, statistics, dropout, scores, gradients);
}

template <class Score, class Layout>
struct LayoutSteps {
  void (*forward)(const RowBlock&, const Layout&, float*);
  void (*known)(const RowBlock&, const Layout&, Rows<const float>, Rows<const float>, float*);
  void (*backward)(const Score&, const Layout&, const SourceEdges&, Rows<const float>, const HeadDropout&, float*,
                   float*);
};

/// A normaliser, as the passes see it.
template <class Score, class... Layouts>
struct NormaliserSteps : LayoutSteps<Score, Layouts>... {
  bool sums_to_one;
  bool uses_statistics;

  template <class Layout>
  const LayoutSteps<Score, Layout>& of() const {
    return *this;
  }
};

template <class Normaliser, class Score, class... Layouts>
constexpr NormaliserSteps<Score, Layouts...> normaliser_steps(NormaliserSteps<Score, Layouts...>*) {
  return {LayoutSteps<Score, Layouts>{&weigh_forward<Normaliser, Layouts>, &weigh_known<Normaliser, Layouts>,
                                      &weigh_backward<Normaliser, Score, Layouts>}...,
          Normaliser::kSumsToOne, Normaliser::kUsesStatistics};
}

/// The layouts that are compiled: those of the most common models, including last layers with 8 heads of up to 4
/// classes or one head of up to a vector of classes, and one for any size.
template <class Score>
using Steps = NormaliserSteps<Score, Layout<4, 16>, Layout<4, 32>, Layout<1, 64>, Layout<8, 8>, Layout<8, 4>,
                              Layout<1, kLanes>, AnyLayout>;

}  // namespace edgewise::attention::fused
