#include "edgewise/autograd/segment_max.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "edgewise/core/check.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::autograd {

namespace {

using Eigen::Index;
using graph::FrozenGraph;
using graph::Node;

/// body(row, sources of the row) for each row, chunks of rows in parallel.
template <class Body>
void for_each_segment(const FrozenGraph& mask, Body&& body) {
  parallel_chunks(mask.incoming_chunks.size() - 1, [&](std::size_t chunk) {
    for (Node row = mask.incoming_chunks[chunk]; row < mask.incoming_chunks[chunk + 1]; ++row) {
      const Node* columns = mask.incoming.columns.data();
      body(static_cast<Index>(row),
           std::span(columns + mask.incoming.offsets[row], columns + mask.incoming.offsets[row + 1]));
    }
  });
}

// Loops go over whole rows without a branch, so that the compiler can process many columns at a time.

void take_maxima(std::span<const Node> sources, const MatrixMap& x, float* __restrict out) {
  const Index columns = x.cols();
  const auto row_of = [&](Node source) { return x.data() + static_cast<Index>(source) * columns; };
  if (sources.empty()) {
    std::fill_n(out, columns, 0.0F);
    return;
  }
  std::copy_n(row_of(sources.front()), columns, out);
  for (const Node source : sources.subspan(1)) {
    const float* row = row_of(source);
    for (Index c = 0; c < columns; ++c) out[c] = (row[c] > out[c]) | (row[c] != row[c]) ? row[c] : out[c];
  }
}

/// For each column, gives what is left of `upstream` to the first source that has the maximum.
void give_to_first(std::span<const Node> sources, const MatrixMap& x, const float* maxima, std::span<float> upstream,
                   MatrixMap gradient) {
  const Index columns = x.cols();
  float* __restrict left = upstream.data();
  for (const Node source : sources) {
    const float* row = x.data() + static_cast<Index>(source) * columns;
    float* __restrict to = gradient.data() + static_cast<Index>(source) * columns;
    for (Index c = 0; c < columns; ++c) {
      const bool is_first = row[c] == maxima[c];
      to[c] += is_first ? left[c] : 0.0F;
      left[c] = is_first ? 0.0F : left[c];
    }
  }
}

}  // namespace

Variable segment_max(const FrozenGraph& mask, Variable x) {
  check_shape("segment_max", "x", shape_of(x), {static_cast<Index>(mask.source_count()), x.cols()});
  Variable y = x.tape().make(static_cast<Index>(mask.destination_count()), x.cols(), x.needs_gradient());
  const MatrixMap value = x.value();
  float* maxima = y.value().data();
  for_each_segment(mask, [&](Index row, std::span<const Node> sources) {
    take_maxima(sources, value, maxima + row * value.cols());
  });
  x.tape().on_backward(y, [&mask, x, y] {
    // Get these before the parallel region: the first use of a gradient creates it.
    const MatrixMap upstream = y.gradient(), value = x.value(), maxima = y.value();
    MatrixMap gradient = x.gradient();
    for_each_segment(mask, [&](Index row, std::span<const Node> sources) {
      std::vector<float> left(upstream.row(row).begin(), upstream.row(row).end());
      give_to_first(sources, value, maxima.data() + row * value.cols(), left, gradient);
    });
  });
  return y;
}

}  // namespace edgewise::autograd
