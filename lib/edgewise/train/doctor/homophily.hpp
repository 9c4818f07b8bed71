#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::train {

/// How often neighbours share a class, over the pairs of distinct nodes that are connected in either direction and have
/// known classes; each pair counts once.
struct Homophily {
  double edge = 0;  ///< Share of pairs with equal classes.
  /// (edge - e) / (1 - e), where e is the share expected for random edges with the same degrees (Platonov et al. 2023,
  /// "Characterizing graph datasets for node classification", eq. 2). 0 means that a neighbour's class carries no
  /// information, even if the classes are unbalanced; 1 that all neighbours agree. Equal to Newman's assortativity. NaN
  /// if all endpoints have the same class.
  double adjusted = 0;
  std::uint64_t pairs = 0;
};

/// For node classification; nothing for other tasks, or if no pair has two known classes. O(edges log edges).
std::optional<Homophily> homophily(const graph::Graph& graph, const data::Labels& labels);

/// What this means for the choice of a model, in a plain sentence.
std::string suggestion(const Homophily& homophily);

}  // namespace edgewise::train
