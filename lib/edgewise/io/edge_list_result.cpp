#include "edgewise/io/edge_list_result.hpp"

#include <algorithm>
#include <iterator>

namespace edgewise::io {

std::uint64_t EdgeListResult::line_of(graph::EdgeIndex edge) const {
  const auto after = std::upper_bound(lines.begin(), lines.end(), edge,
                                      [](graph::EdgeIndex e, const EdgeLine& place) { return e < place.edge; });
  return after == lines.begin() ? 0 : std::prev(after)->line + (edge - std::prev(after)->edge);
}

}  // namespace edgewise::io
