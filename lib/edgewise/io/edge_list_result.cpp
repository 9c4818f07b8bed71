#include "edgewise/io/edge_list_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace edgewise::io {

EdgeLine EdgeListResult::line_at(graph::EdgeIndex edge) const {
  const auto after = std::upper_bound(lines.begin(), lines.end(), edge,
                                      [](graph::EdgeIndex e, const EdgeLine& place) { return e < place.edge; });
  if (after == lines.begin()) return {edge, 0};
  const EdgeLine& place = *std::prev(after);
  return {edge, place.line + (edge - place.edge), place.file};
}

TextLocation EdgeListResult::where(graph::EdgeIndex edge) const {
  const EdgeLine place = line_at(edge);
  return {place.line == 0 ? files.text() : files.files()[place.file], place.line, 0};
}

std::string EdgeListResult::place_of(graph::EdgeIndex edge) const {
  const TextLocation place = where(edge);
  return fmt::format("line {}{}", place.line, files.size() > 1 ? fmt::format(" of {}", place.file) : "");
}

}  // namespace edgewise::io
