#pragma once

#include <algorithm>
#include <cstring>

#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/fused/problem.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/workspace.hpp"

namespace edgewise::attention::fused {

/// The tables to which the backward pass adds gradients; data is nullptr if they are not wanted.
struct Gradients {
  Rows<float> query;
  Rows<float> key;
  Rows<float> value;
};

/// The gradients of what all edges share, summed over the edges of a chunk of sources: [attention vector |
/// edge weight | value edge weight | edge bias]. The first two are not yet multiplied by the scale, the second neither
/// by the attention vector.
struct SharedSums {
  float* attention_vector;
  float* edge_weight;
  float* value_edge_weight;
  float* edge_bias;
};

/// The sums of each chunk of sources, initially zeros; their total is zeros without any chunk.
class PartialSums {
 public:
  PartialSums(const TableGradients& gradients, const AnyLayout& layout, std::size_t features, std::size_t chunks,
              Workspace& workspace);

  SharedSums of_chunk(std::size_t chunk) const;
  /// Adds them up in the order of the chunks.
  SharedSums total();

 private:
  std::size_t vector_ = 0, edge_weight_ = 0, value_edge_weight_ = 0,
              edge_bias_ = 0;  ///< The size of each; 0: not wanted.
  std::size_t columns_;
  std::size_t chunks_;
  float* data_;
};

/// Loads and stores kSize vectors of a row from vector `first` on.
template <int kSize>
EDGEWISE_INLINE void load_row(const float* row, int first, Floats* vectors) {
  for (int v = 0; v < kSize; ++v) vectors[v] = load(row + (first + v) * kLanes);
}
template <int kSize>
EDGEWISE_INLINE void store_row(const Floats* vectors, int first, float* row) {
  for (int v = 0; v < kSize; ++v) store(row + (first + v) * kLanes, vectors[v]);
}

/// row[first + v] += sums[v], for `size` vectors.
EDGEWISE_INLINE void add_to(float* row, int first, const Floats* sums, int size) {
  for (int v = 0; v < size; ++v) {
    float* to = row + (first + v) * kLanes;
    store(to, load(to) + sums[v]);
  }
}

/// Multiplies the gradients of columns by the scale, and by the attention vector if the score has one.
template <class Score>
EDGEWISE_INLINE void multiply_by_factor(const Problem<Score>& in, int first, Floats* sums, int size) {
  for (int v = 0; v < size; ++v) {
    sums[v] *= in.score.scale;
    if constexpr (Score::kHasVector) sums[v] *= load(in.attention_vector + (first + v) * kLanes);
  }
}

/// to[h] += the lanes of `sum` that belong to head h.
template <class Layout>
EDGEWISE_INLINE void add_heads(const Layout& layout, Floats sum, float* to) {
  const Floats of_heads =
      across_edges(sum, layout.heads(), [](Floats x, Floats y) EDGEWISE_INLINE_LAMBDA { return x + y; });
  for (int h = 0; h < layout.heads(); ++h) to[h] += of_heads[h];
}

/// Fills the statistics of all destinations, which the source pass gathers: [row | delta | maximum] (RowStatistics),
/// with one number per head each; the last only if the rows of `statistics` have room for it.
///   forward was   weight = normaliser(score; row),   output = sum of weight * value
///   so now        delta = output gradient . output,  which is the sum over the row of weight * its gradient
template <class Score, class Layout>
void gather_statistics(const Problem<Score>& in, const Layout& layout, bool sums_to_one,
                       Rows<float> statistics) {
  constexpr std::size_t kGrain = 512;
  const auto heads = static_cast<std::size_t>(layout.heads());
  parallel_for(in.mask.destination_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < end; first += static_cast<std::size_t>(layout.edges())) {
      const int rows = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(layout.edges()), end - first));
      const auto row_of = [&](int r) { return static_cast<Node>(first) + static_cast<Node>(std::min(r, rows - 1)); };
      alignas(64) float delta[kLanes];
      if (sums_to_one)
        store(delta, layout.sums_of_heads([&](int r, int v) EDGEWISE_INLINE_LAMBDA {
          return load(in.output[row_of(r)] + v * kLanes) * load(in.output_gradient[row_of(r)] + v * kLanes);
        }));
      for (int r = 0; r < rows; ++r) {
        float* to = statistics[row_of(r)];
        if (sums_to_one) {
          std::memcpy(to, in.row_statistics[row_of(r)], heads * sizeof(float));
          std::memcpy(to + heads, delta + static_cast<std::size_t>(r) * heads, heads * sizeof(float));
          if (statistics.stride > 2 * heads)
            std::memcpy(to + 2 * heads, in.row_maxima[row_of(r)], heads * sizeof(float));
        } else {
          const EdgeIndex* offsets = in.mask.incoming.offsets.data() + row_of(r);
          std::fill_n(to, heads, 1.0F / static_cast<float>(std::max<EdgeIndex>(offsets[1] - offsets[0], 1)));
          std::fill_n(to + heads, heads, 0.0F);
        }
      }
    }
  });
}

}  // namespace edgewise::attention::fused
