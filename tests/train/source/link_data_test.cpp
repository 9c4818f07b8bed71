#include "edgewise/train/source/link_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "edgewise/graph/link_candidates.hpp"
#include "support/graph_of.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_links.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

train::Dataset network(std::vector<graph::Node> sources, std::vector<graph::Node> targets,
                       graph::Direction direction = graph::Direction::undirected) {
  train::Dataset data;
  data.name = "toy";
  data.graph = test::graph_of(5, std::move(sources), std::move(targets), direction);
  return data;
}

/// More ties than are asked for.
train::Dataset complete_network() {
  constexpr graph::Node kNodes = 1'011;  // 510,555 pairs
  std::vector<graph::Node> sources, targets;
  for (graph::Node u = 0; u < kNodes; ++u)
    for (graph::Node v = 0; v < u; ++v) {
      sources.push_back(u);
      targets.push_back(v);
    }
  train::Dataset data;
  data.name = "complete";
  data.graph = test::graph_of(kNodes, std::move(sources), std::move(targets), graph::Direction::undirected);
  return data;
}

}  // namespace

TEST_CASE("a tie, its repeat and its reverse are one item", "[train][link_data]") {
  train::Dataset data = network({0, 1, 1, 2, 0, 3, 3}, {1, 0, 2, 2, 1, 4, 0});
  train::make_links(data);
  REQUIRE(data.links);
  CHECK(data.links->sources == std::vector<graph::Node>{0, 1, 3, 3});
  CHECK(data.links->targets == std::vector<graph::Node>{1, 2, 4, 0});
  const auto kNone = train::LinkItems::kNoTie;
  CHECK(data.links->tie_of_edge == std::vector<graph::StoredEdge>{0, 0, 1, kNone, 0, 2, 3});
  CHECK(data.items().size() == 4);
  CHECK(data.items()[1] == "1,2");
  CHECK(data.labels.item_count() == 4);
  CHECK(data.labels.targets == Matrix::Ones(4, 1));
  REQUIRE(data.notes.size() == 2);
  CHECK_THAT(data.notes[0], Contains("2 edges repeat a tie that was there before, or its reverse"));
  CHECK_THAT(data.notes[1], Contains("1 edge leads from a node to itself"));
}

TEST_CASE("of very many ties a sample is asked for, and the others are always seen", "[train][link_data]") {
  train::Dataset data = complete_network();
  train::Dataset whole = data;
  train::make_links(data);
  const train::LinkItems& links = *data.links;
  CHECK(links.size() == train::kMostTies);
  CHECK(links.all() == data.graph.edges().size());
  CHECK(data.items().size() == train::kMostTies);
  CHECK(data.labels.item_count() == train::kMostTies);
  REQUIRE(data.notes.size() == 1);
  CHECK_THAT(data.notes[0], Contains("of 510555 ties, 500000 are predicted"));
  bool are_same = true;
  std::vector<bool> is_there(links.all());
  const auto& edges = data.graph.edges();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const graph::StoredEdge tie = links.tie_of_edge[e];
    are_same = are_same && links.sources[tie] == edges.sources[e] && links.targets[tie] == edges.targets[e];
    is_there[tie] = true;
  }
  CHECK(are_same);
  CHECK(std::ranges::count(is_there, true) == static_cast<std::ptrdiff_t>(links.all()));
  CHECK(data.items()[7] ==
        fmt::format("{},{}", data.graph.names()[links.sources[7]], data.graph.names()[links.targets[7]]));
  train::make_links(whole, {.asks_all = true});
  CHECK(whole.links->size() == whole.graph.edges().size());
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "split.csv").string();
  train::write_link_split(path, data, data::Split(links.size(), data::Role::none));
  const data::Split read = train::read_link_split(path, whole);
  CHECK(std::ranges::count(read, data::Role::train) == 10'555);
}

TEST_CASE("of very many ties the latest are asked for", "[train][link_data]") {
  train::Dataset data = complete_network();
  const std::size_t ties = data.graph.edges().size();
  io::Column year;
  year.name = "year";
  year.numbers.resize(ties);
  for (std::size_t i = 0; i < ties; ++i) year.numbers[i] = static_cast<float>(i % 1000);
  year.numbers[999] = NAN;
  data.edge_table.names = graph::NodeNames::numbered(static_cast<graph::Node>(ties));
  data.edge_table.lines.resize(ties);
  data.edge_table.columns = {year};
  train::make_links(data, {.time = "year"});
  CHECK(data.links->size() == train::kMostTies);
  CHECK_THAT(data.notes.back(), Contains("of 510555 ties, the latest 500000 are predicted"));
  std::size_t asked = 0;
  bool are_latest = true;
  for (std::size_t i = 0; i < ties; ++i) {
    const bool is_asked = data.links->tie_of_edge[i] < data.links->size();
    asked += is_asked ? 1 : 0;
    are_latest = are_latest && (is_asked ? year.numbers[i] >= 20 : year.numbers[i] <= 20 || i == 999);
  }
  CHECK(asked == train::kMostTies);
  CHECK(are_latest);
}

TEST_CASE("a tie has the time of its earliest edge", "[train][link_data]") {
  train::Dataset data = network({0, 1, 2, 1}, {1, 2, 3, 0});
  io::Column year;
  year.name = "year";
  year.numbers = {NAN, 2, 3, 1};
  data.edge_table.names = graph::NodeNames::numbered(4);
  data.edge_table.lines.resize(4);
  data.edge_table.columns = {year};
  train::make_links(data, {.time = "year"});
  CHECK(data.table.at("year").numbers == std::vector<float>{1, 2, 3});
}

TEST_CASE("a model says whether ties have two sides", "[train][link_data]") {
  train::Dataset data = network({0, 1, 0}, {2, 2, 3}), other = data, both = network({0, 1, 2}, {2, 2, 3});
  train::make_links(data, {.has_two_sides = true});
  CHECK(data.links->has_two_sides);
  CHECK(data.pair_names().source("0") == 0);
  CHECK_FALSE(data.pair_names().source("2"));
  CHECK_FALSE(data.pair_names().target("0"));
  train::make_links(other, {.has_two_sides = false});
  CHECK_FALSE(other.links->has_two_sides);
  CHECK_THROWS_WITH(train::make_links(both, {.has_two_sides = true}),
                    Contains("toy: node \"2\" is at both ends of ties"));
}

TEST_CASE("the reverse of a directed tie is another", "[train][link_data]") {
  train::Dataset data = network({0, 1, 0, 2}, {1, 0, 1, 3}, graph::Direction::directed);
  train::make_links(data);
  CHECK(data.links->size() == 3);
}

TEST_CASE("columns without a node in common are two sides", "[train][link_data]") {
  train::Dataset data;
  data.name = "toy";
  const std::size_t nodes = 2 * 10 + 1;  // the last has no ties
  std::vector<graph::Node> sources, targets;
  for (graph::Node node = 0; node < 10; ++node)
    for (const graph::Node step : {graph::Node{0}, graph::Node{3}}) {
      sources.push_back(node);
      targets.push_back(10 + (node + step) % 10);
    }
  data.graph = test::graph_of(nodes, sources, targets, graph::Direction::directed);
  train::make_links(data);
  CHECK(data.links->has_two_sides);
  CHECK(data.links->sides[9] == graph::kSourceSide);
  CHECK(data.links->sides[10] == graph::kTargetSide);
  CHECK(data.links->sides[20] == graph::kNoSide);
  CHECK(data.links->direction == graph::Direction::undirected);
  REQUIRE(data.notes.size() == 1);
  CHECK_THAT(data.notes[0], Contains("ties lead from the 10 of the first to the 10 of the second"));
  sources.push_back(13);
  targets.push_back(14);
  data.graph = test::graph_of(nodes, sources, targets, graph::Direction::directed);
  train::make_links(data);
  CHECK_FALSE(data.links->has_two_sides);
  CHECK(data.links->sides.empty());
}

TEST_CASE("too few ties to split are refused", "[train][link_data]") {
  train::Dataset data = network({0, 1, 2}, {1, 0, 3});
  CHECK_THROWS_WITH(train::make_links(data), Contains("toy: expected 3 ties or more") && Contains("found 2"));
}

TEST_CASE("data of many graphs has no ties to learn", "[train][link_data]") {
  train::Dataset data = network({0, 1, 2}, {1, 2, 3});
  data.collection.emplace();
  CHECK_THROWS_WITH(train::make_links(data), Contains("links is for the edges of one network"));
}

TEST_CASE("a request of links takes no label", "[train][link_data]") {
  train::DataConfig config;
  config.task = train::kLinks;
  train::check_links(config);
  config.label = {"buys"};
  CHECK_THROWS_WITH(train::check_links(config), Contains("links learns which ties there are"));
}

TEST_CASE("names of ties tell fields apart", "[train][link_data]") {
  graph::NodeNames names;
  names.add("a,b");
  names.add("c");
  CHECK(train::name_of_link(names, 0, 1) == "\"a,b\",c");
}

TEST_CASE("a file gives ties their parts, whichever end comes first", "[train][link_data]") {
  train::Dataset data = network({0, 1, 2, 3}, {1, 2, 3, 4});
  train::make_links(data);
  const test::TemporaryDirectory folder;
  const std::string path = folder.path() / "split.csv";
  const auto read = [&](const std::string& text) {
    std::ofstream(path) << text;
    return train::read_link_split(path, data);
  };
  using data::Role;
  CHECK(read("source,target,split\n0,1,train\n2,1,validation\n3,4,test\n") ==
        data::Split{Role::train, Role::validation, Role::none, Role::test});
  CHECK(read("0,1,train\n")[0] == Role::train);
  CHECK_THROWS_WITH(read("0,1,train\n0,2,test\n"), Contains("split.csv:2") && Contains("0,2 is not one of the 4 ties"));
  CHECK_THROWS_WITH(read("0,1,train\n1,0,test\n"), Contains("1,0, or its reverse, is there twice"));
  CHECK_THROWS_WITH(read("0,1,later\n"), Contains("expected train, validation, test or none, found \"later\""));
  CHECK_THROWS_WITH(read("0,1\n"), Contains("and the split, found 2 fields"));
  CHECK_THROWS_WITH(read("0,9,train\n1,9,train\n"), Contains("is not one of the 5 nodes"));
}
