#pragma once

#include "edgewise/attention/fused/passes/problem.hpp"
#include "edgewise/attention/fused/tables.hpp"
#include "edgewise/attention/fused/traversal/kept_numbers.hpp"
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

/// How far each row has come if the destination pass takes several calls: those of the next one are slots `begins[row]`
/// to `ends[row]`.
struct RowProgress {
  std::vector<EdgeIndex> begins;
  std::vector<EdgeIndex> ends;

  /// Starts at the beginning of each row.
  explicit RowProgress(const graph::Csr& csr) : begins(csr.offsets.begin(), csr.offsets.end() - 1), ends(begins) {}

  /// Finds the end of the edges of rows `begin` to `end` that are below position `kept_end` of the transpose. They are
  /// contiguous because columns ascend.
  void find_ends(const Group& group, Node begin, Node end, EdgeIndex kept_end);
};

/// The x gradients that the source pass kept, for edges up to `end` of the transpose. These are the edges of `sources`
/// rows.
struct KeptGradients {
  KeptNumbers numbers;
  EdgeIndex end;
  std::size_t sources;
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

/// Multiplies the gradients of columns by the scale, and by the attention vector if the score has one. That is known to
/// the compiler, since it decides whether the product becomes part of an fma.
template <bool kHasVector>
EDGEWISE_INLINE void multiply_by_factor(const Group& in, int first, Floats* sums, int size) {
  for (int v = 0; v < size; ++v) {
    sums[v] *= in.scale;
    if constexpr (kHasVector) sums[v] *= load(in.attention_vector + (first + v) * kLanes);
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
void gather_statistics(const Group& in, bool sums_to_one, Rows<float> statistics);

}  // namespace edgewise::attention::fused
