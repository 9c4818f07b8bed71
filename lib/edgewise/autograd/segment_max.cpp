#include "edgewise/autograd/segment_max.hpp"

#include <algorithm>
#include <cmath>
#include <span>

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

void take_maxima(std::span<const Node> sources, const MatrixMap& x, float* out) {
  const Index columns = x.cols();
  if (sources.empty()) std::fill_n(out, columns, 0.0F);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const float* row = x.data() + static_cast<Index>(sources[i]) * columns;
    for (Index c = 0; c < columns; ++c)
      if (i == 0 || row[c] > out[c] || std::isnan(row[c])) out[c] = row[c];
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
    // Taken before the parallel region: the first use of a gradient makes it.
    const MatrixMap upstream = y.gradient(), value = x.value(), maxima = y.value();
    MatrixMap gradient = x.gradient();
    for_each_segment(mask, [&](Index row, std::span<const Node> sources) {
      for (Index c = 0; c < value.cols(); ++c)
        for (const Node source : sources) {
          if (value(source, c) != maxima(row, c)) continue;
          gradient(source, c) += upstream(row, c);
          break;
        }
    });
  });
  return y;
}

}  // namespace edgewise::autograd
