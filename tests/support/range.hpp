#pragma once

#include <numeric>
#include <vector>

#include "edgewise/graph/graph.hpp"

namespace edgewise::test {

/// begin ... end - 1.
inline std::vector<graph::Node> range(graph::Node begin, graph::Node end) {
  std::vector<graph::Node> nodes(end - begin);
  std::iota(nodes.begin(), nodes.end(), begin);
  return nodes;
}

}  // namespace edgewise::test
