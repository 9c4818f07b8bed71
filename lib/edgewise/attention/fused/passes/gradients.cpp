#include "edgewise/attention/fused/passes/gradients.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::fused {

PartialSums::PartialSums(const TableGradients& gradients, const AnyLayout& layout, std::size_t features,
                         std::size_t chunks, Workspace& workspace)
    : chunks_(chunks) {
  const auto columns = static_cast<std::size_t>(layout.columns());
  if (gradients.attention_vector != nullptr) vector_ = columns;
  if (gradients.edge_weight != nullptr) edge_weight_ = features * columns;
  if (gradients.value_edge_weight != nullptr) value_edge_weight_ = features * columns;
  if (gradients.edge_bias != nullptr) edge_bias_ = features * static_cast<std::size_t>(layout.heads());
  columns_ = vector_ + edge_weight_ + value_edge_weight_ + edge_bias_;
  data_ = columns_ == 0 ? nullptr : workspace.take_zeros(std::max<std::size_t>(chunks, 1) * columns_);
}

SharedSums PartialSums::of_chunk(std::size_t chunk) const {
  float* next = data_ + chunk * columns_;
  const auto take = [&next](std::size_t count) { return count == 0 ? nullptr : std::exchange(next, next + count); };
  SharedSums sums;
  sums.attention_vector = take(vector_);
  sums.edge_weight = take(edge_weight_);
  sums.value_edge_weight = take(value_edge_weight_);
  sums.edge_bias = take(edge_bias_);
  return sums;
}

SharedSums PartialSums::total() {
  for (std::size_t chunk = 1; chunk < chunks_; ++chunk)
    for (std::size_t i = 0; i < columns_; ++i) data_[i] += data_[chunk * columns_ + i];
  return of_chunk(0);
}

void RowProgress::find_ends(const Group& group, Node begin, Node end, EdgeIndex kept_end) {
  constexpr int kEdges = 64;
  constexpr Node kRowsAhead = 4;
  const graph::FrozenGraph& mask = group.mask;
  const graph::StoredEdge* positions = mask.incoming_position.data();
  // Positions and columns of a row are far from those of others in memory, so they are prefetched.
  const auto prefetch_row = [&](Node row) EDGEWISE_INLINE_LAMBDA {
    const EdgeIndex slot = begins[row];
    prefetch(positions + slot, 0, kEdges + kLanes);
    if (!group.is_per_head) prefetch(mask.incoming.columns.data() + slot, 0, kEdges + kLanes);
  };
  for (Node row = begin; row < std::min(begin + kRowsAhead, end); ++row) prefetch_row(row);
  for (Node row = begin; row < end; ++row) {
    if (row + kRowsAhead < end) prefetch_row(row + kRowsAhead);
    EdgeIndex slot = begins[row];
    for (int count = kEdges; count == kEdges; slot += static_cast<EdgeIndex>(count))
      count = count_below(positions + slot, std::min<EdgeIndex>(kEdges, mask.incoming.offsets[row + 1] - slot),
                          kept_end);
    ends[row] = slot;
  }
}

namespace {

template <class Layout>
void gather_statistics_in(const Layout& layout, const Group& in, bool sums_to_one, Rows<float> statistics) {
  constexpr std::size_t kGrain = 512;
  const auto heads = static_cast<std::size_t>(layout.heads());
  const auto of_rows = static_cast<std::size_t>(layout.edges());
  parallel_for(in.mask.destination_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < end; first += of_rows) {
      const int rows = static_cast<int>(std::min(of_rows, end - first));
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

}  // namespace

void gather_statistics(const Group& in, bool sums_to_one, Rows<float> statistics) {
  const auto gather = [&](const auto& layout) { gather_statistics_in(layout, in, sums_to_one, statistics); };
  // Static in the layouts of the passes whose heads have several vectors: only then are their sums made of fmas.
  if (in.has_edges()) return with_layout<Layout<4, 16>>(in.layout, gather);
  with_layout<Layout<4, 16>, Layout<4, 32>, Layout<1, 64>>(in.layout, gather);
}

}  // namespace edgewise::attention::fused
