#include "edgewise/data/detail/metis_parts.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "edgewise/graph/random_graphs.hpp"

using namespace edgewise;
using data::detail::metis_parts;

TEST_CASE("METIS cuts a graph of communities into equal parts with few edges between them", "[data][metis_parts]") {
  constexpr std::size_t kNodes = 4000, kParts = 5;
  const graph::FrozenGraph graph = graph::freeze(
      graph::community_graph({.nodes = kNodes, .degree = 8, .community_size = 100, .inside = 0.95}).incoming, kNodes);
  const auto parts = metis_parts(graph, kParts);
  if (!parts) {
    WARN("built without METIS");
    return;
  }
  REQUIRE(parts->size() == kNodes);
  std::vector<std::size_t> edges(kParts, 0);
  std::size_t between = 0;
  for (std::size_t row = 0; row < kNodes; ++row) {
    REQUIRE((*parts)[row] < kParts);
    edges[(*parts)[row]] += graph.incoming.row(row).size();
    for (const graph::Node column : graph.incoming.row(row)) between += (*parts)[row] != (*parts)[column] ? 1 : 0;
  }
  const auto [least, most] = std::ranges::minmax(edges);
  CHECK(least > 0);
  CHECK(most * kParts < 1.1 * static_cast<double>(graph.slot_count()));
  CHECK(between < 0.15 * static_cast<double>(graph.slot_count()));  // 0.8 of random parts
  CHECK(metis_parts(graph, kParts) == parts);
}

TEST_CASE("METIS is not asked for parts of a few nodes", "[data][metis_parts]") {
  const graph::FrozenGraph graph = graph::freeze(graph::uniform_graph(127, 2, 1), 127);
  CHECK_FALSE(metis_parts(graph, 2).has_value());
  CHECK_FALSE(metis_parts(graph::FrozenGraph(), 1).has_value());
}
