#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Random masks for benchmarks: one row per destination, with distinct sources in ascending order. `freeze(csr, nodes)`
/// converts them for the kernels. The same seed gives the same graph at any number of threads; all are linear in nodes
/// and edges. Without nodes there are no rows. They throw UsageError naming the argument that is out of range, or if
/// there would be more than kMaximalArcs edges.
namespace edgewise::graph {

/// Every destination has `degree` distinct sources, drawn uniformly, never itself. `degree` must be below `nodes`.
Csr uniform_graph(std::size_t nodes, std::size_t degree, std::uint64_t seed);

/// A power law: R-MAT (Chakrabarti, Zhan, Faloutsos 2004) with a = 0.57, b = c = 0.19, d = 0.05. Each of `edges` edges
/// recursively picks a quadrant of the adjacency matrix. Duplicates and diagonal entries are dropped, so fewer edges
/// remain. Node numbers are shuffled and carry no information.
Csr rmat_graph(std::size_t nodes, std::size_t edges, std::uint64_t seed);

struct CommunityOptions {
  std::size_t nodes = 100'000;
  std::size_t degree = 16;          ///< Sources drawn per destination; duplicates count once.
  std::size_t community_size = 400;
  double inside = 0.85;             ///< Share of draws from the own community; the rest are from everywhere.
  std::uint64_t seed = 1;
};

/// A graph with communities, and the hidden community of each node.
struct CommunityGraph {
  Csr incoming;
  std::vector<Node> community;
};

/// Communities of equal size (the last one may be smaller), with shuffled node numbers: locality exists but is hidden.
/// A node alone in its community draws from everywhere.
CommunityGraph community_graph(const CommunityOptions& options);

/// Each of the nodes * nodes pairs, including the diagonal, is an edge with probability `density`, from 0 to 1 (all).
Csr random_mask(std::size_t nodes, double density, std::uint64_t seed);

}  // namespace edgewise::graph
