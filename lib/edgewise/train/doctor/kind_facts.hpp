#pragma once

#include <cstddef>
#include <vector>

#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// The edges of a relation at the nodes of one of its kinds.
struct EndFacts {
  std::size_t smallest = 0;  ///< Edges of a node.
  std::size_t largest = 0;
  double mean = 0;
  std::size_t without = 0;  ///< Nodes without any.
};

struct RelationFacts {
  EndFacts source, target;
};

/// One for each of NodeKinds::relations. O(edges * relations).
std::vector<RelationFacts> relation_facts(const Dataset& data);

}  // namespace edgewise::train
