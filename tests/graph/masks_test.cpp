// Compares every mask rule with its definition of who attends to whom, pair by pair.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/graph/masks/k_hop.hpp"
#include "edgewise/graph/masks/line.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/graph/masks/rules.hpp"

using namespace edgewise;
using namespace edgewise::graph;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// One graph of a union, and the length of the shortest path between each pair of its nodes; -1: none.
struct Place {
  std::int64_t size;
  std::function<std::int64_t(std::int64_t row, std::int64_t column)> distance;
  std::function<bool(std::int64_t row, std::int64_t column)> has_edge;
};

/// Whether node `row` attends to node `column` of the same graph.
using Attends = std::function<bool(const Place& place, std::int64_t row, std::int64_t column, std::int64_t parameter)>;

const std::map<std::string, Attends> kDefinitions = {
    {"edges", [](const Place& place, auto row, auto column, auto) { return place.has_edge(row, column); }},
    {"k_hop",
     [](const Place& place, auto row, auto column, auto k) {
       if (row == column) return place.has_edge(row, row);
       return place.distance(row, column) >= 0 && place.distance(row, column) <= k;
     }},
    {"relation", [](const Place&, auto, auto, auto) { return false; }},  // these edges have no features
    {"relation_of", [](const Place&, auto, auto, auto) { return false; }},
    {"complete", [](const Place&, auto, auto, auto) { return true; }},
    {"band", [](const Place&, auto row, auto column, auto w) { return std::abs(row - column) <= w; }},
    {"causal", [](const Place&, auto row, auto column, auto) { return column <= row; }},
    {"causal_band", [](const Place&, auto row, auto column, auto w) { return column <= row && row - column <= w; }},
    {"grid",  // square windows, on grids of 3 columns
     [](const Place&, auto row, auto column, auto n) {
       const auto down = column / 3 - row / 3, right = column % 3 - row % 3;
       return -(n - 1) / 2 <= down && down <= n / 2 && -(n - 1) / 2 <= right && right <= n / 2;
     }},
    {"cross",  // two parts, the first of half of the nodes
     [](const Place& place, auto row, auto column, auto) {
       return (row < place.size / 2) != (column < place.size / 2);
     }},
    {"star", [](const Place&, auto row, auto column, auto) { return row == 0 || column == 0 || row == column; }},
};

/// Directed graphs of these sizes with about 1.5 edges per node. Every third node has a self loop.
GraphUnion random_union(const std::vector<Node>& sizes, std::uint64_t seed) {
  Random random(seed, Stream::generate);
  GraphUnion all;
  EdgeList edges;
  for (const Node size : sizes) {
    const Node first = all.offsets.back();
    for (Node e = 0; e < size + size / 2; ++e) {
      edges.sources.push_back(first + static_cast<Node>(random.below(size)));
      edges.targets.push_back(e % 3 == 0 && e < size ? edges.sources.back()
                                                     : first + static_cast<Node>(random.below(size)));
    }
    all.offsets.push_back(first + size);
  }
  all.graph =
      freeze(Graph(NodeNames::numbered(all.offsets.back()), std::move(edges), {.direction = Direction::directed}));
  return all;
}

/// Makes as many rounds over all pairs as there are nodes.
std::vector<std::vector<std::int64_t>> distances_of(const FrozenGraph& edges, Node first, Node size) {
  std::vector<std::vector<std::int64_t>> distance(size, std::vector<std::int64_t>(size, -1));
  for (Node v = 0; v < size; ++v) distance[v][v] = 0;
  for (Node round = 1; round < size; ++round)
    for (Node start = 0; start < size; ++start)
      for (Node v = 0; v < size; ++v) {
        if (distance[start][v] != round - 1) continue;
        for (auto slot = edges.incoming.offsets[first + v]; slot < edges.incoming.offsets[first + v + 1]; ++slot) {
          std::int64_t& to = distance[start][edges.incoming.columns[slot] - first];
          if (to < 0) to = round;
        }
      }
  return distance;
}

Csr naive_mask(const GraphUnion& all, const Attends& attends, std::int64_t parameter) {
  Csr rows;
  for (std::size_t g = 0; g < all.graph_count(); ++g) {
    const Node first = all.offsets[g], size = all.offsets[g + 1] - first;
    const auto distance = distances_of(all.graph, first, size);
    const Place place{size,
                      [&](auto row, auto column) {
                        return distance[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
                      },
                      [&](auto row, auto column) {
                        const Csr& edges = all.graph.incoming;
                        const Node v = first + static_cast<Node>(row), u = first + static_cast<Node>(column);
                        return std::find(edges.columns.begin() + static_cast<std::ptrdiff_t>(edges.offsets[v]),
                                         edges.columns.begin() + static_cast<std::ptrdiff_t>(edges.offsets[v + 1]),
                                         u) !=
                               edges.columns.begin() + static_cast<std::ptrdiff_t>(edges.offsets[v + 1]);
                      }};
    for (Node row = 0; row < size; ++row) {
      for (Node column = 0; column < size; ++column)
        if (attends(place, row, column, parameter)) rows.columns.push_back(first + column);
      rows.offsets.push_back(rows.columns.size());
    }
  }
  return rows;
}

std::string with_parameter(const MaskRule& rule, std::uint32_t parameter) {
  if (rule.parameters.find('x') != std::string_view::npos)
    return fmt::format("{}:{}x{}", rule.name, parameter, parameter);
  return rule.parameters.empty() ? std::string(rule.name) : std::string(rule.name) + ":" + std::to_string(parameter);
}

json::Value golden_masks() { return json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/masks.json"); }

FrozenGraph karate_club(const json::Value& golden) {
  EdgeList edges;
  for (const json::Value& edge : golden.at("karate_club").at("edges").as_array()) {
    edges.sources.push_back(static_cast<Node>(edge.as_array()[0].as_integer()));
    edges.targets.push_back(static_cast<Node>(edge.as_array()[1].as_integer()));
  }
  return freeze(Graph(NodeNames::numbered(34), std::move(edges)));
}

/// Source and target of each slot of a directed graph without added self loops.
std::vector<std::pair<Node, Node>> ends_of_edges(const FrozenGraph& edges) {
  std::vector<std::pair<Node, Node>> ends;
  for (Node row = 0; row < edges.destination_count(); ++row)
    for (auto slot = edges.incoming.offsets[row]; slot < edges.incoming.offsets[row + 1]; ++slot)
      ends.emplace_back(edges.incoming.columns[slot], row);
  return ends;
}

std::size_t expected_slots(const FrozenGraph& mask, const std::vector<Node>& offsets, std::size_t g) {
  return mask.incoming.offsets[offsets[g + 1]] - mask.incoming.offsets[offsets[g]];
}

/// `expected`: row, column and distance of each slot, from NetworkX.
void check_hops(const FrozenGraph& mask, const json::Value& expected) {
  const json::Array& triples = expected.as_array();
  REQUIRE(mask.slot_count() == triples.size());
  std::size_t at = 0;
  for (Node row = 0; row < mask.destination_count(); ++row)
    for (auto slot = mask.incoming.offsets[row]; slot < mask.incoming.offsets[row + 1]; ++slot, ++at) {
      const json::Array& triple = triples[at].as_array();
      REQUIRE(row == static_cast<Node>(triple[0].as_integer()));
      REQUIRE(mask.incoming.columns[slot] == static_cast<Node>(triple[1].as_integer()));
      const auto features = mask.edge_features.row(static_cast<Eigen::Index>(slot));
      REQUIRE(features.sum() == 1);
      REQUIRE(features(triple[2].as_integer()) == 1);
    }
}

}  // namespace

TEST_CASE("every rule makes the mask it defines", "[graph][masks]") {
  const std::vector<std::vector<Node>> unions = {{}, {0}, {1}, {2}, {7, 0, 1, 30, 2}, {65}};
  for (const MaskRule& rule : mask_rules()) {
    if (!rule.is_between_nodes()) continue;
    INFO(rule.name);
    REQUIRE(kDefinitions.contains(std::string(rule.name)));
    for (const auto& sizes : unions)
      for (const std::uint32_t parameter : {1U, 2U, 3U}) {
        const GraphUnion all = random_union(sizes, sizes.size());
        std::vector<Node> parts = {0};
        for (const Node size : sizes) {
          const Node first = parts.back();
          parts.insert(parts.end(), {first + size / 2, first + size});
        }
        const MaskInput input{.edges = all.graph,
                              .offsets = all.offsets,
                              .grid_columns = 3,
                              .part_offsets = parts,
                              .parts = 2};
        const Mask named = parse_mask(with_parameter(rule, parameter));
        const FrozenGraph mask = named.build(input);
        for (std::size_t g = 0; !rule.needs_edges && g + 1 < all.offsets.size(); ++g)
          CHECK(static_cast<double>(expected_slots(mask, all.offsets, g)) <=
                named.slots(all.offsets[g + 1] - all.offsets[g]));
        const Csr expected = naive_mask(all, kDefinitions.at(std::string(rule.name)), parameter);
        CHECK(mask.incoming.offsets == expected.offsets);
        CHECK(mask.incoming.columns == expected.columns);
        CHECK(mask.source_count() == all.offsets.back());
      }
  }
}

TEST_CASE("the mask of a relation has the edges with its feature", "[graph][masks]") {
  EdgeList edges;
  edges.sources = {0, 0, 1, 2, 0};
  edges.targets = {1, 2, 2, 2, 1};
  edges.features = Matrix::Zero(5, 2);
  for (const int first : {0, 2, 3}) edges.features(first, 0) = 1;
  for (const int second : {1, 4}) edges.features(second, 1) = 1;
  const FrozenGraph all =
      freeze(Graph(NodeNames::numbered(3), std::move(edges),
                   {.direction = Direction::directed, .duplicates = DuplicateEdges::keep_all}),
             {.self_loops = AddSelfLoops::yes});
  const Node offsets[] = {0, 3};
  const auto build = [&](const char* name) { return parse_mask(name).build({.edges = all, .offsets = offsets}); };
  const FrozenGraph first = build("relation:1"), second = build("relation:2");
  CHECK(first.incoming.offsets == std::vector<EdgeIndex>{0, 0, 1, 3});
  CHECK(first.incoming.columns == std::vector<Node>{0, 1, 2});
  CHECK(first.edge == std::vector<StoredEdge>{0, 2, 3});
  CHECK(second.incoming.offsets == std::vector<EdgeIndex>{0, 0, 1, 2});
  CHECK(second.edge == std::vector<StoredEdge>{4, 1});
  CHECK(build("relation:3").slot_count() == 0);
  CHECK(build("relation_of:1x1").edge == first.edge);
  CHECK(build("relation_of:1x1").edge_features == Matrix::Zero(3, 1));
  CHECK(build("relation_of:2x1").edge_features == Matrix::Ones(2, 1));
  CHECK(build("relation_of:2x2").edge_features.cols() == 0);
  CHECK_THROWS_AS(parse_mask("relation:0"), UsageError);
}

TEST_CASE("grid masks give the place of a source in the window", "[graph][masks]") {
  const GraphUnion all = random_union({7, 0, 1, 8}, 3);
  const MaskInput input{.edges = all.graph, .offsets = all.offsets, .grid_columns = 3};
  const auto check = [&](const std::string& name, int columns, const auto& place) {
    INFO(name);
    const Mask named = parse_mask(name);
    REQUIRE(named.features() == columns);
    const FrozenGraph mask = named.build(input);
    REQUIRE(mask.edge_features.cols() == columns);
    for (Node row = 0; row < mask.destination_count(); ++row) {
      const Node first = *(std::ranges::upper_bound(all.offsets, row) - 1);
      for (auto slot = mask.incoming.offsets[row]; slot < mask.incoming.offsets[row + 1]; ++slot) {
        const auto features = mask.edge_features.row(static_cast<Eigen::Index>(slot));
        CHECK(features.sum() == 1);
        CHECK(features(place(std::int64_t{row} - first, std::int64_t{mask.incoming.columns[slot]} - first)) == 1);
      }
    }
  };
  check("band:2+offset", 5, [](auto row, auto column) { return column - row + 2; });
  check("causal_band:2+offset", 3, [](auto row, auto column) { return column - row + 2; });
  check("grid:3x2+offset", 6,
        [](auto row, auto column) { return (column / 3 - row / 3 + 1) * 2 + column % 3 - row % 3; });
}

TEST_CASE("masks by order give the distance and side of a source", "[graph][masks]") {
  const GraphUnion all = random_union({4}, 3);
  for (const char* name : {"complete+distance", "band:3+distance", "causal+distance"}) {
    const FrozenGraph mask = parse_mask(name).build({.edges = all.graph, .offsets = all.offsets});
    for (Node row = 0; row < 4; ++row)
      for (auto slot = mask.incoming.offsets[row]; slot < mask.incoming.offsets[row + 1]; ++slot) {
        const auto distance = static_cast<float>(mask.incoming.columns[slot]) - static_cast<float>(row);
        const auto features = mask.edge_features.row(static_cast<Eigen::Index>(slot));
        CHECK(features(0) == Approx(std::log1p(std::max(0.0F, -distance))));
        CHECK(features(1) == Approx(std::log1p(std::max(0.0F, distance))));
      }
  }
  for (const char* name :
       {"complete+offset", "edges+offset", "edges+distance", "grid:3x3+distance", "band:2+", "band:2000000+offset"})
    CHECK_THROWS_AS(parse_mask(name), UsageError);
  const Node offsets[] = {0, 4};
  CHECK_THROWS_WITH(parse_mask("grid:3x3").build({.edges = all.graph, .offsets = offsets}), Contains("no grid"));
  CHECK_THROWS_WITH(parse_mask("cross").build({.edges = all.graph, .offsets = offsets}), Contains("no parts"));
}

TEST_CASE("the mask of a readout goes from nodes to graphs", "[graph][masks]") {
  const Node offsets[] = {0, 2, 2, 3};
  const FrozenGraph readout = readout_mask(offsets);
  CHECK(readout.destination_count() == 3);
  CHECK(readout.source_count() == 3);
  CHECK(readout.incoming.offsets == std::vector<EdgeIndex>{0, 2, 2, 3});
  CHECK(readout.outgoing.columns == std::vector<Node>{0, 0, 2});
}

TEST_CASE("k-hop masks give the distance of their sources", "[graph][masks]") {
  const GraphUnion all = random_union({40}, 3);
  const auto distance = distances_of(all.graph, 0, 40);
  const FrozenGraph mask = k_hop_mask(all.graph, 3);
  REQUIRE(mask.edge_features.cols() == 4);
  for (Node row = 0; row < 40; ++row)
    for (auto slot = mask.incoming.offsets[row]; slot < mask.incoming.offsets[row + 1]; ++slot) {
      const auto features = mask.edge_features.row(static_cast<Eigen::Index>(slot));
      CHECK(features.sum() == 1);
      CHECK(features(distance[row][mask.incoming.columns[slot]]) == 1);
    }
  CHECK(parse_mask("k_hop:3").features() == 4);
}

TEST_CASE("masks of edges as nodes match their definition", "[graph][masks]") {
  for (const std::vector<Node>& sizes : {std::vector<Node>{}, {0}, {1}, {2}, {7, 0, 1, 30, 2}, {65}}) {
    const GraphUnion all = random_union(sizes, 7);
    const std::vector<std::pair<Node, Node>> ends = ends_of_edges(all.graph);
    const auto at = [](const std::pair<Node, Node>& edge, Node node) {
      return edge.first == node || edge.second == node;
    };
    const auto naive = [&](std::size_t rows, std::size_t columns, const auto& attends) {
      Csr csr;
      for (Node row = 0; row < rows; ++row) {
        for (Node column = 0; column < columns; ++column)
          if (attends(row, column)) csr.columns.push_back(column);
        csr.offsets.push_back(csr.columns.size());
      }
      return csr;
    };
    const auto check = [](const char* name, const FrozenGraph& mask, const Csr& expected, std::size_t columns) {
      INFO(name);
      CHECK(mask.incoming.offsets == expected.offsets);
      CHECK(mask.incoming.columns == expected.columns);
      CHECK(mask.source_count() == columns);
    };
    const std::size_t nodes = all.offsets.back(), edges = ends.size();
    const auto build = [&](const char* name) { return parse_mask(name).build({all.graph, all.offsets}); };
    check("line", build("line"),
          naive(edges, edges,
                [&](Node row, Node column) {
                  return at(ends[column], ends[row].first) || at(ends[column], ends[row].second);
                }),
          edges);
    check("ends", build("ends"), naive(edges, nodes, [&](Node row, Node column) { return at(ends[row], column); }),
          nodes);
    check("incident", build("incident"),
          naive(nodes, edges, [&](Node row, Node column) { return at(ends[column], row); }), edges);
  }
}

TEST_CASE("each edge is one row, whatever its direction, without added self loops", "[graph][masks]") {
  EdgeList list;
  list.sources = {3, 0, 1, 2};
  list.targets = {2, 1, 1, 1};
  list.features = Matrix{{1}, {2}, {3}, {4}};
  const Graph graph(NodeNames::numbered(4), std::move(list));
  const FrozenGraph frozen = freeze(graph, {.self_loops = AddSelfLoops::yes});
  CHECK(edge_rows(frozen) == Matrix{{2}, {3}, {4}, {1}});  // 0-1, 1-1, 1-2, 2-3
  CHECK(line_mask(frozen).incoming.offsets == std::vector<EdgeIndex>{0, 3, 6, 10, 12});
  CHECK(ends_mask(frozen).incoming.columns == std::vector<Node>{0, 1, 1, 1, 2, 2, 3});
  CHECK(incident_mask(frozen).incoming.columns == std::vector<Node>{0, 0, 1, 2, 2, 3, 3});
  EdgeList bare;
  bare.sources = {0, 1};
  bare.targets = {1, 2};
  const FrozenGraph featureless = freeze(Graph(NodeNames::numbered(3), std::move(bare)));
  CHECK(edge_rows(featureless) == Matrix::Ones(2, 1));
  CHECK(edge_row_width(0) == 1);
  CHECK(edge_row_width(5) == 5);
}

TEST_CASE("line masks of molecules and of a social graph match NetworkX", "[graph][masks]") {
  const json::Value golden = golden_masks();
  const auto check = [](const FrozenGraph& edges, const json::Value& expected) {
    const FrozenGraph mask = line_mask(edges);
    json::Array slots;
    for (Node row = 0; row < mask.destination_count(); ++row)
      for (auto slot = mask.incoming.offsets[row]; slot < mask.incoming.offsets[row + 1]; ++slot)
        slots.emplace_back(
            json::Array{static_cast<std::int64_t>(row), static_cast<std::int64_t>(mask.incoming.columns[slot])});
    CHECK(json::dump(slots) == json::dump(expected));
  };
  for (const json::Value& molecule : golden.at("molecules").as_array()) {
    const std::string smiles = molecule.at("smiles").as_string();
    INFO(smiles);
    const data::Molecules read = data::featurise_molecules(std::vector<std::string>{smiles});
    check(freeze(read.graph, {.self_loops = AddSelfLoops::yes}), molecule.at("line"));
  }
  check(karate_club(golden), golden.at("karate_club").at("line"));
}

TEST_CASE("k-hop masks of molecules and of a social graph match NetworkX", "[graph][masks]") {
  const json::Value golden = golden_masks();
  for (const json::Value& molecule : golden.at("molecules").as_array()) {
    const std::string smiles = molecule.at("smiles").as_string();
    INFO(smiles);
    const data::Molecules read = data::featurise_molecules(std::vector<std::string>{smiles});
    check_hops(k_hop_mask(freeze(read.graph), 2), molecule.at("k_hop_2"));
    check_hops(k_hop_mask(freeze(read.graph, {.self_loops = AddSelfLoops::yes}), 3), molecule.at("k_hop_3_loops"));
  }
  check_hops(k_hop_mask(karate_club(golden), 2), golden.at("karate_club").at("k_hop_2"));
}

TEST_CASE("k-hop masks have the same bits at any number of threads", "[graph][masks]") {
  const GraphUnion all = random_union({900}, 5);
  const int before = threads();
  set_threads(1);
  const FrozenGraph expected = k_hop_mask(all.graph, 3);
  for (const int count : {2, 3}) {
    set_threads(count);
    const FrozenGraph mask = k_hop_mask(all.graph, 3);
    CHECK(mask.incoming.columns == expected.incoming.columns);
    CHECK(mask.edge_features == expected.edge_features);
  }
  set_threads(before);
}

TEST_CASE("masks refuse to grow without bound", "[graph][masks]") {
  const GraphUnion all = random_union({300}, 5);
  for (const char* name : {"k_hop:3", "complete", "causal", "band:9", "line"}) {
    INFO(name);
    CHECK_THROWS_AS(parse_mask(name).build({all.graph, all.offsets, 100}), UsageError);
    CHECK_THROWS_WITH(parse_mask(name).build({all.graph, all.offsets, 100}), Contains("more than 100 slots"));
  }
}

namespace {

/// Two stars: one with a centre and `leaves` leaves, and one with a single leaf.
FrozenGraph two_stars(Node leaves) {
  EdgeList edges;
  for (Node leaf = 1; leaf <= leaves; ++leaf) {
    edges.sources.push_back(0);
    edges.targets.push_back(leaf);
  }
  edges.sources.push_back(leaves + 1);
  edges.targets.push_back(leaves + 2);
  return freeze(Graph(NodeNames::numbered(leaves + 3), std::move(edges)));
}

}  // namespace

TEST_CASE("the slots of masks along edges are counted without making them", "[graph][masks]") {
  constexpr double kNoLimit = 1e18;
  const FrozenGraph stars = two_stars(9);
  const std::vector<Node> offsets = {0, 10, 12};
  const MaskInput input{.edges = stars, .offsets = offsets};
  const auto count = [&](const char* name, double most) {
    const Mask mask = parse_mask(name);
    return mask.rule->slots_along(input, mask.parameters, most);
  };
  // All ten nodes see each other at most; exactly, they do not see themselves.
  CHECK(count("k_hop:2", kNoLimit) == 100);
  CHECK(count("k_hop:2", 95) == 90);
  CHECK(count("k_hop:2", 90) == 90);
  CHECK(count("k_hop:2", 20) == 27);  // more than enough after three rows
  CHECK(count("k_hop:1", 20) == 18);
  CHECK(count("line", kNoLimit) == 9 * 8.5 + 9 * 0.5);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const GraphUnion all = random_union({60, 200}, seed);
    for (const char* name : {"k_hop:1", "k_hop:2", "k_hop:3", "line"}) {
      CAPTURE(name, seed);
      const Mask mask = parse_mask(name);
      const MaskInput random{.edges = all.graph, .offsets = all.offsets};
      const FrozenGraph made = mask.build(random);
      double largest = 0;
      if (mask.rule->rows == MaskRows::nodes)
        for (std::size_t g = 0; g < 2; ++g)
          largest = std::max(largest, static_cast<double>(expected_slots(made, all.offsets, g)));
      CHECK(mask.rule->slots_along(random, mask.parameters, kNoLimit) >= largest);
      if (mask.rule->rows == MaskRows::nodes)
        CHECK(mask.rule->slots_along(random, mask.parameters, largest) == largest);
      else
        CHECK(mask.rule->slots_along(random, mask.parameters, kNoLimit) <=
              static_cast<double>(made.slot_count()) * 1.2);
    }
  }
}

TEST_CASE("a mask around a hub is refused before it is made", "[graph][masks]") {
  constexpr Node kLeaves = 1'000'000;  // a million million slots
  const FrozenGraph stars = two_stars(kLeaves);
  const std::vector<Node> offsets = {0, kLeaves + 1, kLeaves + 3};
  for (const char* name : {"k_hop:2", "k_hop:64", "line"})
    CHECK_THROWS_WITH(parse_mask(name).build({.edges = stars, .offsets = offsets, .max_slots = 100'000'000}),
                      Contains("more than 100000000 slots"));
  CHECK(parse_mask("k_hop:1").build({.edges = stars, .offsets = offsets}).slot_count() == 2 * (kLeaves + 1));
}

TEST_CASE("masks refuse invalid offsets", "[graph][masks]") {
  const GraphUnion all = random_union({3}, 5);
  const std::vector<std::vector<Node>> wrong = {{}, {1, 3}, {0, 3, 2}};
  for (const std::vector<Node>& offsets : wrong)
    for (const char* name : {"complete", "band:2", "readout"})
      CHECK_THROWS_AS(parse_mask(name).build({all.graph, offsets}), UsageError);
}

TEST_CASE("names of masks are parsed with their parameters, and wrong ones are refused", "[graph][masks]") {
  CHECK(parse_mask("k_hop:12").parameters == std::vector<std::uint32_t>{12});
  CHECK(parse_mask("edges").parameters.empty());
  const auto check = [](const std::string& text, const std::string& message) {
    INFO(text);
    CHECK_THROWS_AS(parse_mask(text, "--mask"), UsageError);
    CHECK_THROWS_WITH(parse_mask(text, "--mask"), message);
  };
  CHECK_THAT(mask_usages(), StartsWith("edges, k_hop:k, complete, "));
  check("k_hops:2", "--mask: expected one of " + mask_usages() + ", got \"k_hops:2\" (did you mean \"k_hop\"?)");
  for (const char* text : {"k_hop", "k_hop:", "k_hop:0", "k_hop:-1", "k_hop:2x", "k_hop:2x3", "k_hop:65", "k_hop: 2"})
    check(text, std::string("--mask: expected k_hop:k with an integer from 1 to 64, got \"") + text + "\"");
  check("edges:2", "--mask: edges has no parameters, got \"edges:2\"");
  CHECK_THROWS_AS(parse_mask(""), UsageError);
}

TEST_CASE("masks made of edges refuse edges between two node sets", "[graph][masks]") {
  const FrozenGraph between = freeze(Csr{.offsets = {0, 2, 3}, .columns = {1, 4, 0}}, 5);
  const std::string message = "expected a graph among the same nodes, got 2 destinations and 5 sources";
  CHECK_THROWS_AS(k_hop_mask(between, 2), UsageError);
  CHECK_THROWS_WITH(k_hop_mask(between, 2), "k_hop: " + message);
  CHECK_THROWS_WITH(line_mask(between), "line: " + message);
  CHECK_THROWS_WITH(ends_mask(between), "line: " + message);
  CHECK_THROWS_WITH(incident_mask(between), "line: " + message);
}
