#include "edgewise/data/detail/union_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/range/iterator_range.hpp>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/graph/boost_graph.hpp"

namespace edgewise::data::detail {

std::vector<Piece> union_pieces(std::span<const graph::Node> offsets, graph::Node starts) {
  std::vector<Piece> pieces;
  for (std::size_t graph = 0; graph + 1 < offsets.size(); ++graph) {
    const graph::Node first = offsets[graph], end = offsets[graph + 1];
    for (graph::Node begin = first; begin < end; begin += std::min(starts, end - begin))
      pieces.push_back({first, end, begin, begin + std::min(starts, end - begin), graph});
  }
  return pieces;
}

void check_union(const graph::Graph& graph, std::span<const graph::Node> offsets, std::string_view what) {
  check_offsets(what, "nodes", offsets, graph.node_count());
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    for (graph::Node node = offsets[i]; node < offsets[i + 1]; ++node)
      for (const auto& arc : boost::make_iterator_range(boost::out_edges(node, graph.boost()))) {
        const graph::Node target = boost::target(arc, graph.boost());
        if (target < offsets[i] || target >= offsets[i + 1])
          throw UsageError(fmt::format("{}: the edge from node {} to node {} leaves graph {}", what, node, target, i));
      }
}

}  // namespace edgewise::data::detail
