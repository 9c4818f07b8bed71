#include "edgewise/train/source/read_dataset.hpp"

#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include "edgewise/data/encodings.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("a pattern names the labels of nodes", "[train][source]") {
  test::FriendFiles files;
  files.write("people.csv", "name,age,likes_tea,likes_rum,a?e\na,30,1,0,x\nb,20,0,,y\nc,40,1,1,x\n");
  files.write("friends.csv", "source,target\na,b\nb,c\n");
  files.config.data.label = {"likes_*"};
  CHECK(train::read_dataset(files.config.data).reading.label == std::vector<std::string>{"likes_tea", "likes_rum"});
  files.config.data.label = {"a?e"};
  CHECK(train::read_dataset(files.config.data).labels.names == std::vector<std::string>{"x", "y"});
}

TEST_CASE("encodings follow the features of nodes with labels; those of pairs are refused", "[train][source]") {
  test::FriendFiles files;
  const auto load = [&](auto&& change) {
    train::DataConfig config = files.config.data;
    change(config.encodings);
    return train::read_dataset(config);
  };
  CHECK(load([](auto&) {}).encodings.cols() == 0);
  CHECK_THROWS_WITH(load([](auto& e) { e.distances = 4; }), Contains("distances"));
  CHECK_THROWS_WITH(load([](auto& e) { e.degree = e.virtual_node = true; }), Contains("virtual_node are for labels"));
  const train::Dataset data = load([](auto& e) { e = {.degree = true, .random_walk = 3, .laplacian = 2}; });
  REQUIRE(data.encodings.cols() == 6);
  const graph::Node offsets[] = {0, static_cast<graph::Node>(data.graph.node_count())};
  CHECK(data.encodings.col(0) == data::degree_encoding(data.graph, offsets).col(0));
  const data::Split split(data.items().size(), data::Role::train);
  const train::FeatureMap map = train::FeatureMap::fit(data, {}, split);
  const data::Features features = map.apply(data);
  REQUIRE(features.columns() == map.columns());
  CHECK(features.dense.rightCols(6) == data.encodings);
  const train::FeatureMap again = train::FeatureMap::from_json(map.to_json());
  CHECK(again.columns() == map.columns());
  CHECK_THROWS_WITH(again.apply(load([](auto& e) { e.degree = true; })), Contains("1 columns of encodings"));
}

TEST_CASE("edges may come from a graph file", "[train][source]") {
  test::FriendFiles files;
  files.write("people.csv", "name,age,buys\n1,30,yes\n2,20,no\n3,40,yes\n");
  files.write("net.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 2 2\n");
  files.write("knows.csv", ":START_ID,:END_ID,:TYPE\n1,2,KNOWS\n2,3,LIKES\n");
  files.write("kinds.sif", "1 pp 2\n2 pd 3\n");
  const auto load = [&](const std::string& edges, const std::string& weight) {
    train::DataConfig config = files.config.data;
    config.label = {"buys"};
    config.edges = std::filesystem::path(config.edges).replace_filename(edges).string();
    config.weight = weight;
    return train::read_dataset(config);
  };
  for (const char* weight : {"", "3"}) {
    const train::Dataset data = load("net.mtx", weight);
    CHECK(data.graph.edge_count() == 2);
    CHECK(data.graph.direction() == graph::Direction::undirected);
    CHECK(data.graph.edges().weights == std::vector<float>{0.5F, 2});
    CHECK(data.reading.edges.empty());
    CHECK_THAT(data.reading.graph, Catch::EndsWith("net.mtx"));
    CHECK(data.labels.names == std::vector<std::string>{"no", "yes"});
  }
  const auto has_note = [](const train::Dataset& data, const std::string& text) {
    return std::ranges::any_of(data.notes, [&](const std::string& note) { return note.find(text) != note.npos; });
  };
  CHECK(has_note(load("kinds.sif", ""), "kinds.sif: 2 relations (\"pd\", \"pp\") are read as one kind of edge"));
  CHECK(has_note(load("knows.csv", ""), "relationships of all types are read as one kind of edge"));
}
