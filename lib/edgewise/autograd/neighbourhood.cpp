#include "edgewise/autograd/neighbourhood.hpp"

#include "edgewise/core/check.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::autograd {

namespace {

using Eigen::Index;
using graph::EdgeIndex;
using graph::FrozenGraph;
using graph::Node;

void gather_row(const FrozenGraph& mask, Node v, const MatrixMap& x, MatrixMap& y) {
  const Index width = x.cols(), parts = mask.edge_features.cols();
  y.row(v).setZero();
  for (EdgeIndex slot = mask.incoming.offsets[v]; slot < mask.incoming.offsets[v + 1]; ++slot)
    for (Index k = 0; k < parts; ++k)
      if (const float weight = mask.edge_features(static_cast<Index>(slot), k); weight != 0)
        y.row(v).segment(k * width, width) += weight * x.row(mask.incoming.columns[slot]);
}

/// dx[u] += the sum over the slots u -> v of feature[slot, k] dy[v, part k].
void give_back_row(const FrozenGraph& mask, Node u, const MatrixMap& dy, MatrixMap& dx) {
  const Index width = dx.cols(), parts = mask.edge_features.cols();
  for (EdgeIndex at = mask.outgoing.offsets[u]; at < mask.outgoing.offsets[u + 1]; ++at) {
    const auto slot = static_cast<Index>(mask.outgoing_slot[at]);
    for (Index k = 0; k < parts; ++k)
      if (const float weight = mask.edge_features(slot, k); weight != 0)
        dx.row(u) += weight * dy.row(mask.outgoing.columns[at]).segment(k * width, width);
  }
}

template <class Body>
void for_each_row(const std::vector<Node>& chunks, const Body& body) {
  parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
    for (Node row = chunks[chunk]; row < chunks[chunk + 1]; ++row) body(row);
  });
}

}  // namespace

Variable neighbourhood(const FrozenGraph& mask, Variable x) {
  check_shape("neighbourhood", "x", shape_of(x), {static_cast<Index>(mask.source_count()), x.cols()});
  const Index parts = mask.edge_features.cols();
  Variable y = x.tape().make(static_cast<Index>(mask.destination_count()), parts * x.cols(), x.needs_gradient());
  MatrixMap from = x.value(), to = y.value();
  for_each_row(mask.incoming_chunks, [&](Node row) { gather_row(mask, row, from, to); });
  x.tape().on_backward(y, [&mask, x, y] {
    MatrixMap dy = y.gradient(), dx = x.gradient();
    for_each_row(mask.outgoing_chunks, [&](Node row) { give_back_row(mask, row, dy, dx); });
  });
  return y;
}

}  // namespace edgewise::autograd
