#include "edgewise/data/freeze_network.hpp"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <tuple>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
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
    CHECK(network.features(part).dense.row(node - network.boundaries()[part]) == ring.features.dense.row(given));
  }
}

TEST_CASE("kinds stay ranges of the nodes, and each part is of one kind", "[data][frozen_network]") {
  constexpr graph::Node kItems = 120;
  const std::vector<graph::Node> kinds = {0, kItems, 130};
  const test::TemporaryDirectory folder;
  const std::size_t parts = GENERATE(1, 4);
  const std::uint64_t memory = GENERATE(std::uint64_t{1}, std::uint64_t{1} << 30);
  const test::FrozenRing ring(folder.path("ring.edgewise"), parts, memory, kinds);
  const FrozenNetwork network(ring.path);
  CHECK(network.node_count() == test::kRingNodes);
  REQUIRE(network.item_count() == kItems);
  const graph::NodeNames names = network.names();
  const auto given = [&](graph::Node node) { return ring.graph.names().find(names[node]).value(); };
  const auto kind_of = [&](graph::Node node) { return std::ranges::upper_bound(kinds, node) - kinds.begin(); };
  for (graph::Node node = 0; node < names.size(); ++node) CHECK(kind_of(given(node)) == kind_of(node));
  for (std::size_t p = 0; p < network.part_count() && ring.counts.order != "none"; ++p)
    CHECK(kind_of(network.boundaries()[p]) == kind_of(network.boundaries()[p + 1] - 1));
  const Labels labels = network.labels();
  const Split split = network.split().value();
  REQUIRE(split.size() == kItems);
  REQUIRE(labels.classes.size() == kItems);
  for (graph::Node node = 0; node < kItems; ++node) {
    CHECK(labels.classes[node] == ring.labels.classes[given(node)]);
    CHECK(split[node] == ring.split[given(node)]);
  }
  CHECK(edges_of(network) == edges_of(FrozenNetwork(test::FrozenRing(folder.path("plain.edgewise"), 3).path)));
}

TEST_CASE("parts of a ring have few edges between them", "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 3);
  CHECK(ring.counts.order != "none");
  CHECK(ring.counts.cut < ring.counts.arcs / 4);
}

TEST_CASE("edges that do not fit the memory are cut where passes find parts", "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  constexpr graph::Node kGroups = 40, kNodes = 400;
  const graph::NodeNames names = graph::NodeNames::numbered(kNodes);
  Features features;
  features.dense = Matrix::Zero(kNodes, 1);
  // Of each node's eight sources, seven are in its group, which is spread over the order.
  ArcList arcs(folder.path().string(), 1);
  Random random(5, Stream::generate);
  for (graph::Node node = 0; node < kNodes; ++node)
    for (int i = 0; i < 8; ++i) {
      const auto other = static_cast<graph::Node>(random.below(kNodes));
      arcs.add({.destination = node,
                .source = i == 0 ? other : other / kGroups * kGroups + node % kGroups,
                .edge = static_cast<graph::StoredEdge>(i)});
    }
  const NetworkToFreeze network{
      .names = names, .features = features, .labels = {}, .split = {}, .edge_features = {}, .is_directed = true};
  const FrozenCounts counts =
      freeze_network(folder.path("groups.edgewise"), network, std::move(arcs), {.parts = 4, .memory = 1});
  CHECK(counts.order == "propagation");
  CHECK(counts.cut < counts.arcs / 4);
  const FrozenNetwork frozen(folder.path("groups.edgewise"));
  for (std::size_t p = 0; p < 4; ++p)
    CHECK(frozen.part(p).columns.size() + 4 * frozen.part(p).rows() <= (kNodes * (8 + 4)) / 4 * 5 / 4);
}

TEST_CASE("an order of the nodes that has few edges between its ranges is kept", "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 3, 1);
  CHECK(ring.counts.order == "none");
  CHECK(ring.counts.cut < ring.counts.arcs / 4);
}

TEST_CASE("features of half precision are read with three digits, and refused beyond its range",
          "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  const std::string path = folder.path("half.edgewise");
  const graph::NodeNames names = graph::NodeNames::numbered(4);
  Features features;
  features.dense = Matrix(4, 2);
  features.dense << 1, -2.5F, 0.1F, 3.14159F, 65504, 1e-6F, 0, -0.333333F;
  const auto freeze = [&] {
    const NetworkToFreeze network{.names = names, .features = features, .labels = {}, .split = {}, .edge_features = {}};
    return freeze_network(path, network, ArcList(folder.path().string(), 1), {.parts = 2, .half_features = true});
  };
  freeze();
  const FrozenNetwork network(path);
  for (graph::Node node = 0; node < 4; ++node) {
    const FrozenFeatures part = network.features(network.part_of(node));
    REQUIRE(part.is_half());
    CHECK(part.dense_bytes() == static_cast<std::size_t>(part.half.rows()) * 2 * 2);
    Eigen::RowVectorXf row(2);
    part.copy_row(node - network.boundaries()[network.part_of(node)], row.data());
    for (int i = 0; i < 2; ++i) CHECK(row(i) == Approx(features.dense(node, i)).epsilon(0.001).margin(6e-8));
  }
  features.dense(2, 0) = 7e4F;
  CHECK_THROWS_WITH(freeze(), Catch::Contains("up to 65504") && Catch::Contains("70000"));
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

/// Changes a section in its file, with the checksums (docs/development/frozen-file.md): `change(file, begin, bytes)`
/// may change the number of bytes too.
template <class Change>
void change_section(const std::string& path, const std::string& name, const Change& change) {
  std::ifstream in(path, std::ios::binary);
  std::string file{std::istreambuf_iterator<char>(in), {}};
  const auto number = [&](std::size_t at, auto& to) { std::memcpy(&to, file.data() + at, sizeof(to)); };
  const auto put = [&](std::size_t at, std::uint32_t to) { std::memcpy(file.data() + at, &to, sizeof(to)); };
  const auto checksum = [&](std::size_t at, std::size_t bytes) {
    return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(file.data() + at), bytes));
  };
  const std::size_t entry = file.find(name + std::string(1, '\0'));
  std::uint64_t begin = 0, bytes = 0;
  std::uint32_t sections = 0;
  number(entry + 48, begin);
  number(entry + 56, bytes);
  number(12, sections);
  change(file, begin, bytes);
  std::memcpy(file.data() + entry + 56, &bytes, sizeof(bytes));
  put(entry + 64, checksum(begin, bytes));
  put(16, checksum(24, std::size_t{sections} * 72));
  std::ofstream(path, std::ios::binary) << file;
}

TEST_CASE("numbers that lead out of a network are refused, although the checksums are right",
          "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  const char* section = GENERATE("part 0 offsets", "part 1 columns", "part 0 halo");
  CAPTURE(section);
  const test::FrozenRing ring(folder.path("ring.edgewise"), 2);
  change_section(ring.path, section, [](std::string& file, std::uint64_t begin, std::uint64_t&) {
    constexpr std::uint32_t kFar = 100'000;
    std::memcpy(file.data() + begin, &kFar, sizeof(kFar));
  });
  const FrozenNetwork network(ring.path);
  CHECK_THROWS_WITH((network.part(0), network.part(1)),
                    Catch::Contains(section) && Catch::Contains("does not hold what it should"));
}

TEST_CASE("names, labels and roles that do not fit a network are refused, although the checksums are right",
          "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 2);
  const auto check_refused = [&](const std::string& section) {
    const auto read = [&] {
      const FrozenNetwork network(ring.path);
      network.names();
      network.labels();
      network.split();
    };
    CHECK_THROWS_WITH(read(), Catch::Contains(ring.path) &&
                                  Catch::Contains("the section \"" + section + "\" does not hold what it should"));
  };
  SECTION("cut short") {
    const std::string section = GENERATE("name offsets", "name characters", "classes", "roles");
    change_section(ring.path, section, [](std::string&, std::uint64_t, std::uint64_t& bytes) { bytes -= 8; });
    check_refused(section == "name characters" ? "name offsets" : section);
  }
  SECTION("a name beyond all characters") {
    change_section(ring.path, "name offsets", [](std::string& file, std::uint64_t begin, std::uint64_t) {
      file[begin + 8 + 7] = 1;
    });
    check_refused("name offsets");
  }
  SECTION("two nodes of one name") {
    change_section(ring.path, "name characters", [](std::string& file, std::uint64_t begin, std::uint64_t bytes) {
      std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(begin), bytes, 'x');
    });
    check_refused("name characters");
  }
  SECTION("a class or a role that there is not") {
    const std::string section = GENERATE("classes", "roles");
    change_section(ring.path, section, [](std::string& file, std::uint64_t begin, std::uint64_t) { file[begin] = 4; });
    check_refused(section);
  }
  SECTION("a description of other labels") {
    std::string from, to;
    std::tie(from, to) = GENERATE(table<std::string, std::string>({{"\"classification\"", "\"clairvoyance__\""},
                                                                   {"\"classification\"", "\"regression\"    "},
                                                                   {"\"task\"", "\"tusk\""}}));
    CAPTURE(from, to);
    change_section(ring.path, "description", [&](std::string& file, std::uint64_t begin, std::uint64_t) {
      file.replace(file.find(from, begin), from.size(), to);
    });
    check_refused("description");
  }
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
    for (std::size_t p = 0; p < network.part_count(); ++p) network.part(p), network.features(p);
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
