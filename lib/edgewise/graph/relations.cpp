#include "edgewise/graph/relations.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "edgewise/graph/detail/finish_graph.hpp"

namespace edgewise::graph {
namespace {

bool is_of_relation(const FrozenGraph& edges, EdgeIndex slot, Eigen::Index column) {
  return column < edges.edge_features.cols() && (edges.edge.empty() || edges.edge[slot] != kAddedSelfLoop) &&
         edges.edge_features(static_cast<Eigen::Index>(slot), column) != 0;
}

/// What the slots of `mask`, whose rows are done, have in `edges`.
void take_slots(const FrozenGraph& edges, const std::vector<StoredEdge>& slots, Eigen::Index columns,
                FrozenGraph& mask) {
  if (!edges.edge.empty())
    for (const StoredEdge slot : slots) mask.edge.push_back(edges.edge[slot]);
  if (columns == 0) return;
  mask.edge_features.resize(static_cast<Eigen::Index>(slots.size()), columns);
  for (std::size_t i = 0; i < slots.size(); ++i)
    mask.edge_features.row(static_cast<Eigen::Index>(i)) = edges.edge_features.row(slots[i]).tail(columns);
}

/// An edge of one of the relations: the place of its source in RelationSources::nodes, and its slot in the graph.
struct PlacedEdge {
  Node place;
  StoredEdge slot;
};

}  // namespace

RelationEdges relation_edges(const FrozenGraph& edges, std::uint32_t relation, Eigen::Index columns) {
  RelationEdges found;
  FrozenGraph& mask = found.mask;
  for (std::size_t row = 0; row < edges.incoming.rows(); ++row) {
    for (EdgeIndex slot = edges.incoming.offsets[row]; slot < edges.incoming.offsets[row + 1]; ++slot) {
      if (!is_of_relation(edges, slot, static_cast<Eigen::Index>(relation) - 1)) continue;
      mask.incoming.columns.push_back(edges.incoming.columns[slot]);
      found.slots.push_back(static_cast<StoredEdge>(slot));
    }
    mask.incoming.offsets.push_back(mask.incoming.columns.size());
  }
  take_slots(edges, found.slots, columns, mask);
  detail::finish(mask, edges.source_count());
  return found;
}

EdgeEnds edge_ends(const FrozenGraph& edges) {
  EdgeEnds found;
  std::vector<Node> place(edges.source_count(), 0);
  for (const Node source : edges.incoming.columns) place[source] = 1;
  for (Node source = 0; source < place.size(); ++source) {
    if (place[source] == 0) continue;
    place[source] = static_cast<Node>(found.sources.size());
    found.sources.push_back(source);
  }
  Csr& incoming = found.mask.incoming;
  for (Node row = 0; row < edges.incoming.rows(); ++row) {
    if (edges.incoming.row(row).empty()) continue;
    found.destinations.push_back(row);
    incoming.offsets.push_back(edges.incoming.offsets[row + 1]);
  }
  for (const Node source : edges.incoming.columns) incoming.columns.push_back(place[source]);
  found.mask.edge = edges.edge;
  found.mask.edge_features = edges.edge_features;
  detail::finish(found.mask, found.sources.size());
  return found;
}

RelationSources relation_sources(const FrozenGraph& edges, std::uint32_t relations) {
  FrozenGraph turned;  // of a mask that goes forward alone
  if (edges.outgoing_slot.size() < edges.slot_count()) {
    turned.incoming = edges.incoming;
    detail::finish(turned, edges.source_count());
  }
  const FrozenGraph& both_ways = turned.slot_count() > 0 ? turned : edges;
  // Sources ascend in `outgoing`, so that those of each relation are found in order.
  std::vector<std::vector<Node>> nodes(relations);
  const auto each_edge = [&](const auto& visit) {
    for (Node source = 0; source < edges.source_count(); ++source)
      for (EdgeIndex i = both_ways.outgoing.offsets[source]; i < both_ways.outgoing.offsets[source + 1]; ++i)
        for (std::uint32_t r = 0; r < relations; ++r)
          if (is_of_relation(edges, both_ways.outgoing_slot[i], r))
            visit(source, both_ways.outgoing.columns[i], r, both_ways.outgoing_slot[i]);
  };
  std::vector<EdgeIndex> ends(edges.incoming.rows() + 1, 0);
  each_edge([&](Node source, Node row, std::uint32_t r, StoredEdge) {
    if (nodes[r].empty() || nodes[r].back() != source) nodes[r].push_back(source);
    ++ends[row + 1];
  });
  RelationSources found{.mask = {}, .nodes = {}, .begins = {0}, .slots = {}};
  for (const std::vector<Node>& of_relation : nodes) {
    found.nodes.insert(found.nodes.end(), of_relation.begin(), of_relation.end());
    found.begins.push_back(found.nodes.size());
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  Csr& incoming = found.mask.incoming;
  incoming.offsets = ends;
  std::vector<PlacedEdge> placed(ends.back());
  std::vector<std::size_t> at = found.begins;
  each_edge([&](Node source, Node row, std::uint32_t r, StoredEdge slot) {
    if (found.nodes[at[r]] != source) ++at[r];
    placed[--ends[row + 1]] = {static_cast<Node>(at[r]), slot};
  });
  for (std::size_t row = 0; row < incoming.rows(); ++row)
    std::sort(placed.begin() + static_cast<std::ptrdiff_t>(incoming.offsets[row]),
              placed.begin() + static_cast<std::ptrdiff_t>(incoming.offsets[row + 1]),
              [](const PlacedEdge& a, const PlacedEdge& b) {
                return std::pair(a.place, a.slot) < std::pair(b.place, b.slot);
              });
  for (const PlacedEdge& edge : placed) {
    incoming.columns.push_back(edge.place);
    found.slots.push_back(edge.slot);
  }
  take_slots(edges, found.slots, std::max<Eigen::Index>(edges.edge_features.cols() - relations, 0), found.mask);
  detail::finish(found.mask, found.nodes.size());
  return found;
}

struct LazyRelations::State {
  std::mutex mutex;
  std::map<std::pair<std::uint32_t, Eigen::Index>, RelationEdges> edges;
  std::map<std::uint32_t, RelationSources> sources;
  std::optional<EdgeEnds> ends;
};

LazyRelations::LazyRelations() : state_(std::make_shared<State>()) {}

const RelationEdges& LazyRelations::edges(const FrozenGraph& graph, std::uint32_t relation,
                                          Eigen::Index columns) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->edges.find({relation, columns});
  if (found != state_->edges.end()) return found->second;
  return state_->edges.emplace(std::pair(relation, columns), relation_edges(graph, relation, columns)).first->second;
}

const RelationSources& LazyRelations::sources(const FrozenGraph& graph, std::uint32_t relations) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->sources.find(relations);
  if (found != state_->sources.end()) return found->second;
  return state_->sources.emplace(relations, relation_sources(graph, relations)).first->second;
}

const EdgeEnds& LazyRelations::ends(const FrozenGraph& graph) const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->ends) state_->ends = edge_ends(graph);
  return *state_->ends;
}

}  // namespace edgewise::graph
