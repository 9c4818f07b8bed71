#include "edgewise/graph/frozen_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/boost_graph.hpp"
#include "edgewise/graph/detail/finish_graph.hpp"

namespace edgewise::graph {
namespace {

constexpr EdgeIndex kWorkOfRow = 4;
constexpr EdgeIndex kSmallestChunk = 1024;  // below this a thread costs more than it gains
constexpr EdgeIndex kLargestChunkCount = 256;

/// How the offsets fail to ascend from 0 to the number of columns; "" if they do.
std::string problem_of_offsets(const Csr& csr) {
  if (csr.offsets.empty()) return "there are none";
  if (csr.offsets.front() != 0) return fmt::format("the first is {}", csr.offsets.front());
  const auto drop = std::ranges::is_sorted_until(csr.offsets);
  if (drop != csr.offsets.end()) return fmt::format("{} follows {}", *drop, *(drop - 1));
  return csr.offsets.back() == csr.slots() ? "" : fmt::format("the last is {}", csr.offsets.back());
}

/// Calls visit(destination, source, arc) for each arc that stays, oriented as attention sees it.
template <class Visit>
void each_attending_arc(const Graph& graph, const FreezeOptions& options, Visit&& visit) {
  const BoostGraph& g = graph.boost();
  for (Node row = 0; row < graph.node_count(); ++row)
    for (const auto& arc : boost::make_iterator_range(boost::out_edges(row, g))) {
      const Node column = boost::target(arc, g);
      if (options.kept == KeptEdges::self_loops && row != column) continue;
      const EdgeIndex index = boost::get(boost::edge_index, g, arc);
      if (options.flow == Flow::source_to_target)
        visit(column, row, index);
      else
        visit(row, column, index);
    }
}

std::vector<bool> nodes_with_self_loop(const Graph& graph) {
  std::vector<bool> has_loop(graph.node_count(), false);
  each_attending_arc(graph, {}, [&](Node destination, Node source, EdgeIndex) {
    if (destination == source) has_loop[destination] = true;
  });
  return has_loop;
}

/// Edge features in slot order, preceded by the weight if requested.
Matrix features_of_slots(const Graph& graph, const FrozenGraph& frozen, const FreezeOptions& options) {
  const EdgeList& edges = graph.edges();
  const auto weight = [&](StoredEdge edge) {
    const float given = edges.weights.empty() ? 1.0F : edges.weights[edge];
    return options.weight_scale ? (*options.weight_scale)(given) : given;
  };
  const Eigen::Index weight_columns = options.weight_as_feature ? 1 : 0;
  const Eigen::Index columns = weight_columns + edges.features.cols();
  Matrix features = Matrix::Zero(columns == 0 ? 0 : static_cast<Eigen::Index>(frozen.slot_count()), columns);
  if (columns == 0) return features;
  for (std::size_t row = 0; row < frozen.incoming.rows(); ++row) {
    const EdgeIndex begin = frozen.incoming.offsets[row], end = frozen.incoming.offsets[row + 1];
    Eigen::Index added = -1;
    for (EdgeIndex slot = begin; slot < end; ++slot) {
      const StoredEdge edge = frozen.edge[slot];
      const auto to = static_cast<Eigen::Index>(slot);
      if (edge == kAddedSelfLoop) {
        added = to;
        continue;
      }
      if (options.weight_as_feature) features(to, 0) = weight(edge);
      if (edges.features.cols() > 0)
        features.row(to).tail(edges.features.cols()) = edges.features.row(static_cast<Eigen::Index>(edge));
    }
    if (added < 0 || end - begin < 2) continue;
    const auto degree = static_cast<Eigen::Index>(end - begin);
    features.row(added) = features.middleRows(static_cast<Eigen::Index>(begin), degree).colwise().sum() /
                          static_cast<float>(degree - 1);
  }
  return features;
}

template <class T>
std::size_t bytes_of(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}
std::size_t bytes_of(const Csr& csr) { return bytes_of(csr.offsets) + bytes_of(csr.columns); }

}  // namespace

std::size_t FrozenGraph::bytes() const {
  return bytes_of(incoming) + bytes_of(outgoing) + bytes_of(outgoing_slot) + bytes_of(incoming_position) +
         bytes_of(edge) + bytes_of(incoming_chunks) + bytes_of(outgoing_chunks) +
         static_cast<std::size_t>(edge_features.size()) * sizeof(float) + blocks.bytes();
}

void check_same_nodes(std::string_view operation, const FrozenGraph& graph) {
  if (graph.destination_count() == graph.source_count()) return;
  throw UsageError(fmt::format("{}: expected a graph among the same nodes, got {} destinations and {} sources",
                               operation, graph.destination_count(), graph.source_count()));
}

bool detail::columns_ascend(const Csr& csr) {
  for (std::size_t row = 0; row < csr.rows(); ++row)
    if (!std::is_sorted(csr.columns.begin() + static_cast<std::ptrdiff_t>(csr.offsets[row]),
                        csr.columns.begin() + static_cast<std::ptrdiff_t>(csr.offsets[row + 1])))
      return false;
  return true;
}

void finish_positions(FrozenGraph& frozen) {
  frozen.incoming_position.resize(frozen.slot_count());
  for (std::size_t position = 0; position < frozen.outgoing_slot.size(); ++position)
    frozen.incoming_position[frozen.outgoing_slot[position]] = static_cast<StoredEdge>(position);
  frozen.columns_ascend = detail::columns_ascend(frozen.incoming);
  frozen.blocks = {};  // those of the graph that this one was copied from, or of what it was before
  frozen.relations = {};
}

void detail::finish(FrozenGraph& frozen, std::size_t source_count) {
  const Csr& incoming = frozen.incoming;
  Csr& outgoing = frozen.outgoing;
  outgoing.offsets.assign(source_count + 1, 0);
  for (const Node source : incoming.columns) ++outgoing.offsets[source + 1];
  std::partial_sum(outgoing.offsets.begin(), outgoing.offsets.end(), outgoing.offsets.begin());
  outgoing.columns.resize(incoming.slots());
  frozen.outgoing_slot.resize(incoming.slots());
  frozen.incoming_position.resize(incoming.slots());
  std::vector<EdgeIndex> next(outgoing.offsets.begin(), outgoing.offsets.end() - 1);
  for (Node destination = 0; destination < incoming.rows(); ++destination)
    for (EdgeIndex slot = incoming.offsets[destination]; slot < incoming.offsets[destination + 1]; ++slot) {
      const EdgeIndex position = next[incoming.columns[slot]]++;
      outgoing.columns[position] = destination;
      frozen.outgoing_slot[position] = static_cast<StoredEdge>(slot);
      frozen.incoming_position[slot] = static_cast<StoredEdge>(position);
    }
  frozen.columns_ascend = detail::columns_ascend(incoming);
  frozen.incoming_chunks = balanced_chunks(incoming.offsets);
  frozen.outgoing_chunks = balanced_chunks(outgoing.offsets);
  frozen.blocks = {};
  frozen.relations = {};
}

std::vector<Node> balanced_chunks(std::span<const EdgeIndex> offsets) {
  const std::size_t rows = offsets.size() - 1;
  const EdgeIndex work = offsets.back() + kWorkOfRow * rows;
  const EdgeIndex count = std::clamp<EdgeIndex>(work / kSmallestChunk, 1, kLargestChunkCount);
  std::vector<Node> boundaries = {0};
  for (EdgeIndex chunk = 1; chunk < count; ++chunk) {
    const EdgeIndex wanted = work / count * chunk;
    // The first row with at least the wanted work before it.
    std::size_t low = boundaries.back(), high = rows;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (offsets[middle] + kWorkOfRow * middle < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    if (low > boundaries.back() && low < rows) boundaries.push_back(static_cast<Node>(low));
  }
  boundaries.push_back(static_cast<Node>(rows));
  return boundaries;
}

FrozenGraph freeze(const Graph& graph, const FreezeOptions& options) {
  const std::size_t nodes = graph.node_count();
  std::vector<bool> lacks_loop(nodes, false);
  if (options.self_loops == AddSelfLoops::yes) {
    lacks_loop = nodes_with_self_loop(graph);
    lacks_loop.flip();
  }
  if (graph.arc_count() + nodes > kMaximalArcs)
    throw DataError(fmt::format("graph: {} arcs and {} nodes, but at most {} slots can be held", graph.arc_count(),
                                nodes, kMaximalArcs));
  FrozenGraph frozen;
  Csr& incoming = frozen.incoming;
  incoming.offsets.assign(nodes + 1, 0);
  each_attending_arc(graph, options, [&](Node destination, Node, EdgeIndex) {
    ++incoming.offsets[destination + 1];
  });
  for (std::size_t v = 0; v < nodes; ++v) incoming.offsets[v + 1] += incoming.offsets[v] + (lacks_loop[v] ? 1 : 0);
  incoming.columns.resize(incoming.offsets.back());
  frozen.edge.resize(incoming.offsets.back());

  // Boost's rows ascend, so each destination meets its sources in ascending order; the added loop is inserted in
  // between.
  std::vector<EdgeIndex> next(incoming.offsets.begin(), incoming.offsets.end() - 1);
  const auto put = [&](Node destination, Node source, StoredEdge edge) {
    incoming.columns[next[destination]] = source;
    frozen.edge[next[destination]++] = edge;
  };
  const auto put_missing_loop = [&](Node node) {
    if (!lacks_loop[node]) return;
    lacks_loop[node] = false;
    put(node, node, kAddedSelfLoop);
  };
  each_attending_arc(graph, options, [&](Node destination, Node source, EdgeIndex arc) {
    if (source > destination) put_missing_loop(destination);
    put(destination, source, static_cast<StoredEdge>(graph.edge_of_arc(arc)));
  });
  for (Node node = 0; node < nodes; ++node) put_missing_loop(node);
  frozen.edge_features = features_of_slots(graph, frozen, options);
  detail::finish(frozen, nodes);
  return frozen;
}

FrozenGraph freeze(Csr incoming, std::size_t source_count) {
  constexpr std::size_t kMaximalNodes = std::numeric_limits<Node>::max();
  if (const std::string problem = problem_of_offsets(incoming); !problem.empty())
    throw DataError(fmt::format("mask: expected offsets that ascend from 0 to the number of columns, {}, but {}",
                                incoming.slots(), problem));
  if (std::max(incoming.rows(), source_count) > kMaximalNodes)
    throw DataError(fmt::format("mask: {} rows and {} sources, but at most {} of each can be held", incoming.rows(),
                                source_count, kMaximalNodes));
  for (const Node source : incoming.columns)
    if (source >= source_count)
      throw DataError(fmt::format("mask: column {}, but there are {} sources", source, source_count));
  if (incoming.slots() > kMaximalArcs)
    throw DataError(fmt::format("mask: {} slots, but at most {} can be held", incoming.slots(), kMaximalArcs));
  FrozenGraph frozen;
  frozen.incoming = std::move(incoming);
  frozen.edge.resize(frozen.incoming.slots());
  std::iota(frozen.edge.begin(), frozen.edge.end(), StoredEdge{0});
  detail::finish(frozen, source_count);
  return frozen;
}

}  // namespace edgewise::graph
