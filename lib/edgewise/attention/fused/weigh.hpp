#pragma once

#include <algorithm>
#include <limits>

#include "edgewise/attention/fused/problem.hpp"
#include "edgewise/attention/fused/row_blocks.hpp"
#include "edgewise/attention/normalisers/row_statistics.hpp"

/// @file
/// How normalisers turn the scores of a block of rows into weights. The passes call these steps through function
/// pointers, once per block, so that a pass is compiled once for all normalisers.
namespace edgewise::attention::fused {

/// The online softmax. Within a block, weights are exp(score - maximum); instead of the weights, the weighted sums of
/// rows are divided by the sum of the weights. If a row is longer than a block, its sums are rescaled whenever the
/// maximum grows (Milakov and Gimelshein 2018); parts of other rows may come in between. The maximum is taken as 0 as
/// long as no score is large.
template <class Layout>
class RunningSoftmax {
 public:
  explicit RunningSoftmax(const Layout& layout) : layout_(layout) {}

  void weigh(const RowBlock& block, float* scores) {
    const int heads = layout_.heads(), count = block.count * heads;
    if (block.is_first) std::fill_n(maxima_ + block.index * heads, block.rows * heads, 0.0F);
    rescale_ = Floats{} + 1.0F;
    if (has_large(scores, count) || (!block.is_first && has_maximum(block.index)))
      for (int r = 0; r < block.rows; ++r) subtract_maximum(block, block.part(r), scores);
    for (int i = 0; i < count; i += kLanes) store(scores + i, simd::exp(load(scores + i)));
    for (int r = 0; r < block.rows; ++r) add_sum(block, block.part(r), scores);
    if (block.is_last) finish(block);
  }

  /// The factors for the weighted sums of the earlier parts of a row: one number per head, repeated.
  Floats rescale() const { return rescale_; }
  /// 1 / the sum of the weights of a row, after its last part; 1 for a row without edges.
  const float* row_factor(int index) const { return inverse_ + index * layout_.heads(); }
  /// The log-sum-exp of the scores of each row of the last block; `index` is that of its first row.
  const float* row_statistics(int index) const { return log_sum_exp_ + index * layout_.heads(); }

 private:
  static constexpr float kLarge = 40;  ///< e^40 can be summed without subtracting a maximum.

  bool has_large(const float* scores, int count) const {
    Floats largest{};
    const auto look_at = [&](Floats score) EDGEWISE_INLINE_LAMBDA {
      const Floats size = std::bit_cast<Floats>(std::bit_cast<Ints>(score) & 0x7fffffff);
      largest = size > largest ? size : largest;
    };
    int i = 0;
    for (; i + kLanes <= count; i += kLanes) look_at(load(scores + i));
    if (i < count) look_at(i + kLane < count ? load(scores + i) : Floats{});
    for (int l = 0; l < kLanes; ++l)
      if (!(largest[l] <= kLarge)) return true;
    return false;
  }
  /// Whether the row that a block continues has a maximum other than 0.
  bool has_maximum(int index) const {
    const float* of = maxima_ + index * layout_.heads();
    return std::any_of(of, of + layout_.heads(), [](float maximum) { return maximum != 0; });
  }

  void subtract_maximum(const RowBlock& block, const RowPart& part, float* scores) {
    const int heads = layout_.heads(), count = (part.end - part.begin) * heads;
    float* of = scores + part.begin * heads;
    float* maxima = maxima_ + part.index * heads;
    const Floats before = block.is_first ? Floats{} - std::numeric_limits<float>::infinity() : layout_.repeat(maxima);
    Floats maximum = before;
    for (int i = 0; i < count; i += kLanes) {
      const Floats score = load(of + i);
      maximum = (i + kLane < count) & (score > maximum) ? score : maximum;
    }
    maximum = across_edges(maximum, heads, [](Floats a, Floats b) EDGEWISE_INLINE_LAMBDA { return a > b ? a : b; });
    keep(block, maximum, maxima);
    rescale_ = simd::exp(before - maximum);
    for (int i = 0; i < count; i += kLanes) {
      const Floats score = load(of + i);
      store(of + i, i + kLane < count ? score - maximum : score);
    }
  }

  void add_sum(const RowBlock& block, const RowPart& part, const float* weights) {
    const int heads = layout_.heads(), count = (part.end - part.begin) * heads;
    const float* of = weights + part.begin * heads;
    float* sums = sums_ + part.index * heads;
    Floats sum = add_lanes(Floats{}, of, count);
    sum = across_edges(sum, heads, [](Floats a, Floats b) EDGEWISE_INLINE_LAMBDA { return a + b; });
    if (!block.is_first) sum += layout_.repeat(sums) * rescale_;
    keep(block, sum, sums);
  }

  /// Stores one number per head of a row. For a single row, nothing after them is written, as rows that it takes turns
  /// with have theirs there. Of several rows, each overwrites the surplus lanes of the one before.
  void keep(const RowBlock& block, Floats of_heads, float* to) const {
    if (block.rows == 1)
      simd::store_first(to, of_heads, layout_.heads());
    else
      store(to, of_heads);
  }

  void finish(const RowBlock& block) {
    const int first = block.index * layout_.heads(), end = first + block.rows * layout_.heads();
    for (int i = first; i < end; i += kLanes) {
      const Floats sum = load(sums_ + i);
      const Floats of_row = sum == 0.0F ? Floats{} + 1.0F : sum;
      store(inverse_ + i, 1.0F / of_row);
      const Floats log_sum = load(maxima_ + i) + simd::log(of_row);
      store(log_sum_exp_ + i, sum == 0.0F ? Floats{} - std::numeric_limits<float>::infinity() : log_sum);
    }
  }

  static constexpr int kState = (kMaxRows + 1) * kLanes;
  const Layout& layout_;
  Floats rescale_;
  alignas(64) float maxima_[kState];
  alignas(64) float sums_[kState];
  alignas(64) float inverse_[kState];
  alignas(64) float log_sum_exp_[kState];
};

/// Forward: turns scores into weights. Those that sum to 1 are still to be divided by their sum, which is in `running`.
template <class Normaliser, class Layout>
void weigh_forward(const RowBlock& block, const Layout& layout, RunningSoftmax<Layout>& running, float* scores) {
  if constexpr (Normaliser::kSumsToOne) {
    running.weigh(block, scores);
  } else {
    for (int r = 0; r < block.rows; ++r) {
      const RowPart part = block.part(r);
      const RowStatistics<Floats> row{Floats{} + 1.0F / static_cast<float>(block.edges_of_row(r)), Floats{}};
      float* of = scores + part.begin * layout.heads();
      const int count = (part.end - part.begin) * layout.heads();
      for (int i = 0; i < count; i += kLanes) {
        const Floats score = load(of + i);
        store(of + i, i + kLane < count ? Normaliser::weight(score, row) : score);
      }
    }
  }
}

/// Turns scores into weights, with the row statistics of a forward pass.
template <class Normaliser, class Layout>
void weigh_known(const RowBlock& block, const Layout& layout, Rows<const float> statistics, float* scores) {
  for (int r = 0; r < block.rows; ++r) {
    const RowPart part = block.part(r);
    RowStatistics<Floats> row{Floats{} + 1.0F / static_cast<float>(block.edges_of_row(r)), Floats{}};
    if (Normaliser::kSumsToOne && part.end > part.begin) row.row = layout.repeat(statistics[part.row]);
    float* of = scores + part.begin * layout.heads();
    const int count = (part.end - part.begin) * layout.heads();
    for (int i = 0; i < count; i += kLanes) {
      const Floats score = load(of + i);
      store(of + i, i + kLane < count ? Normaliser::weight(score, row) : score);
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
template <class Normaliser, class Score, class Layout>
void weigh_backward(const Score& score, const Layout& layout, const SourceEdges& edges, Rows<const float> statistics,
                    const HeadDropout& dropout, float* scores, float* gradients) {
  for (int e = 0; e < edges.count; e += layout.edges()) {
    float* of_scores = scores + e * layout.heads();
    float* of_gradients = gradients + e * layout.heads();
    RowStatistics<Floats> row{};
    if constexpr (Normaliser::kUsesStatistics)
      row.row = layout.gather(statistics.data, edges.nodes + e, statistics.stride);
    if constexpr (Normaliser::kSumsToOne)
      row.delta = layout.gather(statistics.data + layout.heads(), edges.nodes + e, statistics.stride);
    const Floats of_edges = load(of_scores), weight = Normaliser::weight(of_edges, row);
    Floats gradient = load(of_gradients), dropped = weight;
    if (dropout.mask.is_active()) {
      const Floats factor = dropout.factors(layout, edges.slots + e);
      gradient *= factor;
      dropped *= factor;
    }
    store(of_scores, dropped);
    store(of_gradients, score.through(of_edges, Normaliser::gradient(of_edges, weight, gradient, row)));
  }
}

template <class Score, class Layout>
struct LayoutSteps {
  void (*forward)(const RowBlock&, const Layout&, RunningSoftmax<Layout>&, float*);
  void (*known)(const RowBlock&, const Layout&, Rows<const float>, float*);
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
NormaliserSteps<Score, Layouts...> normaliser_steps(NormaliserSteps<Score, Layouts...>*) {
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
