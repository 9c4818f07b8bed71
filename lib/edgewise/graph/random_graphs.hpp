#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Random masks to measure with: a row for each destination, its sources ascending, each once. `freeze(csr, nodes)`
/// makes of them what the kernels see. The same seed gives the same graph at any number of threads; all are linear in
/// nodes and edges. No nodes give no rows. They throw UsageError that names what is out of range, also when there
/// would be more than kMaximalArcs edges.
namespace edgewise::graph {

/// Every destination has `degree` different sources, drawn uniformly, never itself. `degree` is below `nodes`.
Csr uniform_graph(std::size_t nodes, std::size_t degree, std::uint64_t seed);

/// A power law: R-MAT (Chakrabarti, Zhan, Faloutsos 2004) with a = 0.57, b = c = 0.19, d = 0.05. Each of `edges` falls
/// into a quadrant of the adjacency matrix, then into one of that, and so on. What falls on another edge or on the
/// diagonal is dropped, so fewer remain. Which number a node has says nothing: they are shuffled.
Csr rmat_graph(std::size_t nodes, std::size_t edges, std::uint64_t seed);

struct CommunityOptions {
  std::size_t nodes = 100'000;
  std::size_t degree = 16;          ///< Sources that each destination draws; those drawn twice count once.
  std::size_t community_size = 400;
  double inside = 0.85;             ///< Share of the draws in the own community; the others are from everywhere.
  std::uint64_t seed = 1;
};

/// A graph with communities, and the hidden community of each node.
struct CommunityGraph {
  Csr incoming;
  std::vector<Node> community;
};

/// Communities of equal size (the last one smaller), the numbers of the nodes shuffled: locality is there, but hidden.
/// A node in a community by itself draws from everywhere.
CommunityGraph community_graph(const CommunityOptions& options);

/// Each of the nodes * nodes pairs, the diagonal included, is an edge with probability `density`, from 0 to 1 (all).
Csr random_mask(std::size_t nodes, double density, std::uint64_t seed);

}  // namespace edgewise::graph
