#pragma once

#include <string>

#include "edgewise/graph/graph.hpp"

namespace edgewise::test {

/// "ada>bob bob>cid", in the order of the edges.
inline std::string edges_of(const graph::NodeNames& names, const graph::EdgeList& edges) {
  std::string text;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (e > 0) text += ' ';
    text += std::string(names[edges.sources[e]]) + ">" + std::string(names[edges.targets[e]]);
  }
  return text;
}

}  // namespace edgewise::test
