#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::data::detail {

/// The diagonal of D^-1/2 for `neighbours_of` a graph; 0 for a node without neighbours.
std::vector<double> inverse_roots(const graph::Csr& neighbours);

/// The diagonals of (A D^-1)^s for s = 1 ... steps, one row per node: see `random_walk_encoding`. M = D^-1/2 A D^-1/2
/// is symmetric and its powers have the same diagonals. Hence (M^s)_ii = (M^a e_i) . (M^b e_i) with a + b = s, which
/// halves the number of products.
///
/// A small graph, or one on which a few steps lead everywhere, takes products of M with dense blocks of starts. On any
/// other graph each M^a e_i is kept sparse. What is chosen depends on the graph and the steps alone. Throws UsageError
/// before the work if a graph would take more than 2e11 products of numbers either way, estimated from a few starts.
Matrix return_probabilities(const graph::Csr& neighbours, std::span<const graph::Node> offsets, std::size_t steps);

}  // namespace edgewise::data::detail
