#pragma once

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// A block that gets the rows of nodes and gives those of their graphs; what makes it calls `begin_graph_level`. The
/// table of blocks knows readouts by this class, see `is_readout`.
class ReadoutBlock : public Block {};

}  // namespace edgewise::nn
