#include "edgewise/train/source/dataset.hpp"

#include "edgewise/data/frozen_network.hpp"
#include "edgewise/train/source/node_pairs.hpp"

namespace edgewise::train {

std::uint64_t EdgeItems::key(std::size_t item) const {
  return pair_key(sources[item], targets[item], is_directed);
}

std::size_t Dataset::edge_count() const {
  if (edges) return edges->size();
  return frozen ? frozen->edge_count() : graph.edge_count();
}

}  // namespace edgewise::train
