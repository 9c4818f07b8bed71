#pragma once

#include <cstddef>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::graph {

/// As `freeze`, but unchecked and without the transpose, which passes that only go forward do not need: `outgoing` has
/// as many rows as there are sources, but no edges.
FrozenGraph forward_mask(Csr incoming, std::size_t source_count);

}  // namespace edgewise::graph
