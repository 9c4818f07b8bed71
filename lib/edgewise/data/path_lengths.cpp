#include "edgewise/data/path_lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/pending/queue.hpp>
#include <boost/property_map/function_property_map.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/detail/union_pieces.hpp"
#include "edgewise/graph/boost_graph.hpp"

namespace edgewise::data {
namespace {

using detail::Piece;
using graph::GraphIndex;
using graph::Node;

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

/// Counts the arcs from the start of the search to every node.
struct CountArcs : boost::default_bfs_visitor {
  CountArcs(std::vector<std::uint32_t>& arcs_to, Node first_node) : arcs(&arcs_to), first(first_node) {}
  template <class Arc, class G>
  void tree_edge(const Arc& arc, const G& graph) const {
    (*arcs)[boost::target(arc, graph) - first] = (*arcs)[boost::source(arc, graph) - first] + 1;
  }
  std::vector<std::uint32_t>* arcs;
  Node first;
};

/// Fills the columns of the piece's nodes in the square matrix of its graph, which begins at `lengths`.
void search_from(const graph::BoostGraph& graph, const Piece& piece, std::uint32_t maximum, std::uint8_t* lengths) {
  const std::size_t nodes = piece.nodes();
  std::vector<boost::default_color_type> colours(nodes);
  std::vector<std::uint32_t> arcs(nodes);
  const Node first = piece.first;
  const auto index = boost::make_function_property_map<Node>([first](Node node) { return node - first; });
  for (Node start = piece.begin; start < piece.stop; ++start) {
    std::fill(colours.begin(), colours.end(), boost::white_color);
    std::fill(arcs.begin(), arcs.end(), kUnseen);
    arcs[start - first] = 0;
    boost::queue<Node> waiting;
    boost::breadth_first_visit(graph, start, waiting, CountArcs(arcs, first),
                               boost::make_iterator_property_map(colours.begin(), index));
    for (std::size_t v = 0; v < nodes; ++v)
      lengths[v * nodes + (start - first)] =
          arcs[v] == kUnseen ? PathLengths::kUnreachable : static_cast<std::uint8_t>(std::min(arcs[v], maximum));
  }
}

}  // namespace

PathLengths shortest_paths(const graph::Graph& graph, std::span<const Node> offsets, std::uint8_t maximum) {
  constexpr Node kStarts = 64;
  constexpr std::size_t kGrain = 4;
  if (maximum < 1 || maximum > PathLengths::kLargestMaximum)
    throw UsageError(fmt::format("shortest paths: expected a maximum from 1 to {}, got {}",
                                 PathLengths::kLargestMaximum, maximum));
  detail::check_union(graph, offsets, "shortest paths");
  PathLengths paths;
  paths.maximum = maximum;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::uint64_t nodes = offsets[i + 1] - offsets[i];
    paths.offsets.push_back(paths.offsets.back() + nodes * nodes);
    if (paths.offsets.back() > graph::kMaximalArcs)
      throw UsageError(fmt::format("shortest paths: more than {} pairs of nodes; take smaller graphs",
                                   graph::kMaximalArcs));
  }
  paths.lengths.resize(paths.offsets.back());
  const std::vector<Piece> pieces = detail::union_pieces(offsets, kStarts);
  parallel_for(pieces.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      search_from(graph.boost(), pieces[i], maximum, paths.lengths.data() + paths.offsets[pieces[i].graph]);
  });
  return paths;
}

Matrix path_length_features(const PathLengths& paths, std::span<const GraphIndex> members) {
  std::uint64_t pairs = 0;
  for (const GraphIndex member : members) {
    if (member >= paths.graph_count())
      throw UsageError(fmt::format("path lengths: graph {}, but there are {} graphs", member, paths.graph_count()));
    pairs += paths.offsets[member + 1] - paths.offsets[member];
  }
  Matrix features = Matrix::Zero(static_cast<Eigen::Index>(pairs), paths.maximum + 2);
  Eigen::Index row = 0;
  for (const GraphIndex member : members)
    for (std::uint64_t pair = paths.offsets[member]; pair < paths.offsets[member + 1]; ++pair) {
      const std::uint8_t length = paths.lengths[pair];
      features(row++, length == PathLengths::kUnreachable ? paths.maximum + 1 : length) = 1;
    }
  return features;
}

}  // namespace edgewise::data
