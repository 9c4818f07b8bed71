#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::train {

/// How alike neighbours are, over the pairs of different nodes that are tied in either direction and whose classes are
/// both known; each pair counts once.
struct Homophily {
  double edge = 0;  ///< Share of the pairs of one class.
  /// (edge - e) / (1 - e), where e is the share that random ties between nodes of the same degrees would have: 0 says
  /// that a neighbour's class tells nothing of one's own, also where the classes are unbalanced; 1 that all neighbours
  /// agree (Platonov et al. 2023, "Characterizing graph datasets for node classification", eq. 2). The same as
  /// Newman's assortativity. NaN where all ends are of one class.
  double adjusted = 0;
  std::uint64_t pairs = 0;
};

/// Of a classification of nodes; nothing for other tasks, and where no pair has two known classes. O(edges log edges).
std::optional<Homophily> homophily(const graph::Graph& graph, const data::Labels& labels);

/// What that means for the choice of a model, in a plain sentence.
std::string suggestion(const Homophily& homophily);

}  // namespace edgewise::train
