#include "edgewise/graph/relations.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "edgewise/core/random.hpp"
#include "edgewise/graph/forward_mask.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

constexpr Node kNodes = 30;
constexpr std::uint32_t kRelations = 3;

/// Edges between random nodes, of one relation each but for the first, which is of two, and the last, which is of none;
/// one more feature is the number of the edge. Nodes have self loops, which are of no relation.
FrozenGraph random_relations() {
  Random random(1, Stream::generate);
  EdgeList edges;
  for (int e = 0; e < 100; ++e) {
    edges.sources.push_back(static_cast<Node>(random.below(kNodes)));
    edges.targets.push_back(static_cast<Node>(random.below(kNodes)));
  }
  edges.features = Matrix::Zero(100, kRelations + 1);
  for (int e = 0; e < 99; ++e) edges.features(e, static_cast<Eigen::Index>(random.below(kRelations))) = 1;
  edges.features.row(0).head(kRelations) << 1, 0, 1;
  for (int e = 0; e < 100; ++e) edges.features(e, kRelations) = static_cast<float>(e);
  return freeze(Graph(NodeNames::numbered(kNodes), std::move(edges),
                      {.direction = Direction::directed, .duplicates = DuplicateEdges::keep_all}),
                {.self_loops = AddSelfLoops::yes});
}

/// Relation, source, destination, and the number of the edge.
using Edge = std::tuple<std::uint32_t, Node, Node, float>;

std::multiset<Edge> edges_of(const FrozenGraph& graph) {
  std::multiset<Edge> edges;
  for (Node row = 0; row < graph.destination_count(); ++row)
    for (EdgeIndex slot = graph.incoming.offsets[row]; slot < graph.incoming.offsets[row + 1]; ++slot)
      for (std::uint32_t r = 0; r < kRelations; ++r) {
        const auto features = graph.edge_features.row(static_cast<Eigen::Index>(slot));
        if (graph.edge[slot] != kAddedSelfLoop && features(r) != 0)
          edges.emplace(r, graph.incoming.columns[slot], row, features(kRelations));
      }
  return edges;
}

}  // namespace

TEST_CASE("relation_edges have the edges of one relation and the last features", "[graph][relations]") {
  const FrozenGraph all = random_relations();
  std::multiset<Edge> found;
  for (std::uint32_t r = 0; r < kRelations; ++r) {
    const RelationEdges& of = all.relations.edges(all, r + 1, 1);
    for (Node row = 0; row < kNodes; ++row)
      for (EdgeIndex slot = of.mask.incoming.offsets[row]; slot < of.mask.incoming.offsets[row + 1]; ++slot) {
        found.emplace(r, of.mask.incoming.columns[slot], row,
                      of.mask.edge_features(static_cast<Eigen::Index>(slot), 0));
        CHECK(of.mask.edge[slot] == all.edge[of.slots[slot]]);
      }
    CHECK(of.mask.source_count() == kNodes);
  }
  CHECK(found == edges_of(all));
  CHECK(found.size() == 100);
  CHECK(&all.relations.edges(all, 1, 1) == &FrozenGraph(all).relations.edges(all, 1, 1));  // copies share them
}

TEST_CASE("relation_sources have each node once for each relation it has edges of", "[graph][relations]") {
  const FrozenGraph all = random_relations();
  const RelationSources& of = all.relations.sources(all, kRelations);
  REQUIRE(of.begins.size() == kRelations + 1);
  REQUIRE(of.mask.source_count() == of.nodes.size());
  std::multiset<Edge> found;
  std::set<Node> used;
  for (Node row = 0; row < kNodes; ++row)
    for (EdgeIndex slot = of.mask.incoming.offsets[row]; slot < of.mask.incoming.offsets[row + 1]; ++slot) {
      const Node place = of.mask.incoming.columns[slot];
      const auto after = std::upper_bound(of.begins.begin(), of.begins.end(), std::size_t{place});
      found.emplace(static_cast<std::uint32_t>(after - of.begins.begin() - 1), of.nodes[place], row,
                    of.mask.edge_features(static_cast<Eigen::Index>(slot), 0));
      CHECK(of.mask.edge[slot] == all.edge[of.slots[slot]]);
      used.insert(place);
    }
  CHECK(found == edges_of(all));
  CHECK(used.size() == of.nodes.size());
  CHECK(of.mask.columns_ascend);
}

TEST_CASE("relation_sources of a mask that goes forward alone are those of its graph", "[graph][relations]") {
  const FrozenGraph all = random_relations();
  FrozenGraph forward = forward_mask(all.incoming, all.source_count());
  forward.edge = all.edge;
  forward.edge_features = all.edge_features;
  const RelationSources expected = relation_sources(all, kRelations), found = relation_sources(forward, kRelations);
  CHECK(found.nodes == expected.nodes);
  CHECK(found.begins == expected.begins);
  CHECK(found.slots == expected.slots);
  CHECK(found.mask.incoming.columns == expected.mask.incoming.columns);
}

TEST_CASE("edge_ends are the nodes with edges, between which all edges are", "[graph][relations]") {
  const FrozenGraph all = random_relations();
  const RelationEdges& of = all.relations.edges(all, 2, 1);
  const EdgeEnds& ends = of.mask.relations.ends(of.mask);
  REQUIRE(ends.mask.slot_count() == of.mask.slot_count());
  REQUIRE(ends.mask.source_count() == ends.sources.size());
  REQUIRE(ends.mask.destination_count() == ends.destinations.size());
  CHECK(ends.sources.size() < kNodes);
  CHECK(ends.mask.columns_ascend);
  CHECK(ends.mask.edge == of.mask.edge);
  CHECK(ends.mask.edge_features == of.mask.edge_features);
  for (Node place = 0; place < ends.destinations.size(); ++place) {
    const std::span<const Node> row = of.mask.incoming.row(ends.destinations[place]);
    const std::span<const Node> placed = ends.mask.incoming.row(place);
    REQUIRE(!row.empty());
    REQUIRE(row.size() == placed.size());
    for (std::size_t i = 0; i < row.size(); ++i) CHECK(ends.sources[placed[i]] == row[i]);
  }
}

TEST_CASE("a graph without edges or features has no edges of relations", "[graph][relations]") {
  const FrozenGraph none = freeze(Graph(NodeNames::numbered(3), EdgeList{}, {}));
  CHECK(relation_sources(none, 2).nodes.empty());
  CHECK(relation_sources(none, 2).mask.destination_count() == 3);
  CHECK(relation_edges(none, 1, 0).mask.slot_count() == 0);
  CHECK(edge_ends(none).destinations.empty());
  CHECK(edge_ends(none).mask.source_count() == 0);
}
