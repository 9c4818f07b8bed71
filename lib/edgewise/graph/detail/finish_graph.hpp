#pragma once

#include <cstddef>

namespace edgewise::graph {
struct FrozenGraph;
}

namespace edgewise::graph::detail {

/// Fills the transpose and the chunks of a graph whose `incoming` is right; in frozen_graph.cpp.
void finish(FrozenGraph& frozen, std::size_t source_count);

}  // namespace edgewise::graph::detail
