#pragma once

#include <numeric>
#include <span>
#include <utility>

#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// Nodes to graphs: row g has the nodes of graph g as sources, and slot i is node i. O(nodes).
inline FrozenGraph readout_mask(std::span<const Node> offsets) {
  check_offsets("readout", offsets);
  Csr incoming;
  incoming.offsets.assign(offsets.begin(), offsets.end());
  incoming.columns.resize(offsets.back());
  std::iota(incoming.columns.begin(), incoming.columns.end(), Node{0});
  return freeze(std::move(incoming), offsets.back());
}

}  // namespace edgewise::graph
