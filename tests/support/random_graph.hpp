#pragma once

#include <algorithm>

#include "edgewise/core/random.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::test {

/// A mask with about `degree` sources per destination. Row 0 has none, row 1 (a hub) has all.
inline graph::FrozenGraph random_mask(std::size_t destinations, std::size_t sources, double degree,
                                      std::uint64_t seed) {
  Random random(seed, Stream::generate, 3);
  graph::Csr csr;
  for (std::size_t row = 0; row < destinations; ++row) {
    for (std::size_t source = 0; source < sources && row != 0; ++source)
      if (row == 1 || random.uniform() < degree / static_cast<double>(sources))
        csr.columns.push_back(static_cast<graph::Node>(source));
    csr.offsets.push_back(csr.columns.size());
  }
  return graph::freeze(std::move(csr), sources);
}

}  // namespace edgewise::test
