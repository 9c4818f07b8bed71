#include "edgewise/io/graph_contents.hpp"

#include <fmt/format.h>

namespace edgewise::io {

std::string GraphFile::place_of(graph::EdgeIndex edge) const {
  if (!edge_list.empty()) return fmt::format("{}[{}]", edge_list, edge);
  if (edge < edge_lines.size() && edge_lines[edge] > 0) return fmt::format("line {}", edge_lines[edge]);
  return fmt::format("edge {}", edge + 1);
}

}  // namespace edgewise::io
