#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::data::detail {

/// A, the symmetric 0/1 matrix: each pair of neighbours appears once in both rows, regardless of edge direction and
/// repeated edges; columns ascend.
graph::Csr neighbours_of(const graph::Graph& graph);

/// log(1 + number of neighbours) of each node of `neighbours_of`: [nodes, 1].
Matrix log_degrees(const graph::Csr& neighbours);

}  // namespace edgewise::data::detail
