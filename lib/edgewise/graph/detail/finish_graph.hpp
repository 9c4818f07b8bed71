#pragma once

#include <cstddef>

namespace edgewise::graph {
struct Csr;
struct FrozenGraph;
}

namespace edgewise::graph::detail {

/// Fills the transpose and the chunks of a graph whose `incoming` is right; in frozen_graph.cpp.
void finish(FrozenGraph& frozen, std::size_t source_count);

/// Whether they do within each row.
bool columns_ascend(const Csr& csr);

}  // namespace edgewise::graph::detail
