#include "edgewise/train/source/dataset.hpp"

#include "edgewise/data/frozen_network.hpp"

namespace edgewise::train {

std::size_t Dataset::edge_count() const { return frozen ? frozen->edge_count() : graph.edge_count(); }

}  // namespace edgewise::train
