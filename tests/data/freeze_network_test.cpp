#include "edgewise/data/freeze_network.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

#include "edgewise/core/error.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "support/frozen_ring.hpp"

namespace edgewise::data {
namespace {

using Edge = std::tuple<std::string, std::string, float>;

/// The edges by the names of their ends, with their weights.
std::multiset<Edge> edges_of(const FrozenNetwork& network) {
  const graph::NodeNames names = network.names();
  std::multiset<Edge> edges;
  for (std::size_t p = 0; p < network.part_count(); ++p) {
    const FrozenPart part = network.part(p);
    CHECK(std::ranges::is_sorted(part.halo));
    for (graph::Node row = 0; row < part.rows(); ++row)
      for (graph::EdgeIndex arc = part.offsets[row]; arc < part.offsets[row + 1]; ++arc) {
        const graph::Node column = part.columns[arc];
        const graph::Node source =
            column < part.rows() ? part.begin + column : part.halo[column - part.rows()];
        edges.emplace(names[source], names[part.begin + row], part.weights[arc]);
      }
  }
  return edges;
}

TEST_CASE("a network keeps its nodes, edges and labels, whatever its parts and the memory", "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  const std::size_t parts = GENERATE(1, 2, 7, 300);
  const std::uint64_t memory = GENERATE(std::uint64_t{1}, std::uint64_t{1} << 30);
  CAPTURE(parts, memory);
  const test::FrozenRing ring(folder.path("ring.edgewise"), parts, memory);
  const FrozenNetwork network(ring.path);
  CHECK(network.node_count() == test::kRingNodes);
  CHECK(network.part_count() == parts);
  CHECK(network.edge_count() == ring.graph.arc_count());
  std::multiset<Edge> expected;
  const graph::EdgeList& edges = ring.graph.edges();
  std::set<std::pair<graph::Node, graph::Node>> seen;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (seen.emplace(edges.sources[e], edges.targets[e]).second)
      expected.emplace(ring.graph.names()[edges.sources[e]], ring.graph.names()[edges.targets[e]], edges.weights[e]);
  CHECK(edges_of(network) == expected);
  const graph::NodeNames names = network.names();
  const Labels labels = network.labels();
  const Split split = network.split().value();
  for (graph::Node node = 0; node < names.size(); ++node) {
    const graph::Node given = ring.graph.names().find(names[node]).value();
    CHECK(labels.classes[node] == ring.labels.classes[given]);
    CHECK(split[node] == ring.split[given]);
    const std::size_t part = network.part_of(node);
    CHECK(network.dense_features(part).row(node - network.boundaries()[part]) == ring.features.dense.row(given));
  }
}

TEST_CASE("parts of a ring have few edges between them", "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 3);
  CHECK(ring.counts.order != "none");
  CHECK(ring.counts.cut < ring.counts.arcs / 4);
}

TEST_CASE("edges that are listed twice are one, all or refused", "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  const std::string path = folder.path("two.edgewise");
  const graph::NodeNames names = graph::NodeNames::numbered(2);
  Features features;
  features.dense = Matrix::Zero(2, 1);
  const auto freeze = [&](graph::DuplicateEdges duplicates) {
    const NetworkToFreeze network{.names = names, .features = features, .labels = {}, .split = {}, .edge_features = {},
                                  .is_directed = true, .is_weighted = true, .duplicates = duplicates};
    ArcList arcs(folder.path().string(), 1);
    arcs.add({.destination = 1, .source = 0, .edge = 1, .weight = 8});
    arcs.add({.destination = 1, .source = 0, .edge = 0, .weight = 9});
    arcs.add({.destination = 0, .source = 0, .edge = 2, .weight = 7});
    arcs.add({.destination = 0, .source = 0, .edge = 2, .weight = 7});  // the other direction of a self loop
    return freeze_network(path, network, std::move(arcs));
  };
  CHECK(freeze(graph::DuplicateEdges::keep_all).arcs == 3);
  CHECK(freeze(graph::DuplicateEdges::keep_first).arcs == 2);
  CHECK(edges_of(FrozenNetwork(path)) == std::multiset<Edge>{{"0", "1", 9.0F}, {"0", "0", 7.0F}});
  CHECK_THROWS_AS(freeze(graph::DuplicateEdges::refuse), graph::EdgeError);
}

TEST_CASE("every section of a network is guarded", "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 2);
  const auto size = std::filesystem::file_size(ring.path);
  const auto read_all = [&] {
    const FrozenNetwork network(ring.path);
    network.names();
    network.labels();
    network.split();
    for (std::size_t p = 0; p < network.part_count(); ++p) network.part(p), network.dense_features(p);
  };
  read_all();
  for (std::uintmax_t at = 4096; at < size; at += 4096) {  // where sections begin
    std::fstream file(ring.path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get());
    const auto put = [&](char value) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(value);
      file.flush();
    };
    CAPTURE(at);
    put(static_cast<char>(byte ^ 4));
    CHECK_THROWS_WITH(read_all(), Catch::Contains("the section") && Catch::Contains("was changed"));
    put(byte);
  }
  for (std::uintmax_t at = size - 1; at > 4096; at -= std::min<std::uintmax_t>(at - 4096, 4096)) {
    std::filesystem::resize_file(ring.path, at);
    CHECK_THROWS_WITH(read_all(), Catch::Contains("the section") && Catch::Contains("is cut short"));
  }
}

}  // namespace
}  // namespace edgewise::data
