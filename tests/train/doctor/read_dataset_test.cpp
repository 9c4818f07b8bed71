#include "edgewise/train/doctor/read_dataset.hpp"

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
    config.edges = std::filesystem::path(config.edges.front()).replace_filename(edges).string();
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

TEST_CASE("a dense table of features becomes columns of the nodes", "[train][source][features]") {
  test::FriendFiles files;
  files.write("people.csv", "id,buys\n1,yes\n2,no\n3,yes\n");
  files.write("friends.csv", "source,target\n1,2\n2,3\n");
  files.write("x.csv", "2 0 1 0 1\n1 1 0 0 0\n");
  files.config.data.features = files.path("x.csv");
  const train::Dataset data = train::read_dataset(files.config.data);
  CHECK(data.features.columns() == 0);
  CHECK(io::names_of(data.table.columns) ==
        std::vector<std::string>{"buys", "feature 1", "feature 2", "feature 3", "feature 4"});
  CHECK(data.table.at("feature 1").numbers[0] == 1);
  CHECK(data.table.at("feature 2").numbers[1] == 1);
  CHECK(data.table.at("feature 2").is_missing(2));
  CHECK_THAT(data.notes.front(), Contains("x.csv: 1 of 3 nodes have no row: their features are missing"));
  files.write("x.csv", "id,buys,x,y\n2,0,1,0\n");
  CHECK_THROWS_WITH(
      train::read_dataset(files.config.data),
      Contains("x.csv: the column \"buys\" is in ") && Contains("people.csv, too: give one of them another name"));
  files.write("x.csv", "node,feature,value\n2,7,1\n");
  CHECK(train::read_dataset(files.config.data).features.columns() == 8);
}

TEST_CASE("edges and nodes of several files are those of one", "[train][source]") {
  test::FriendFiles files;
  files.write("a.csv", "id,age,buys\np0,30,yes\np1,20,no\n");
  files.write("b.csv", "id,age,buys\np2,40,yes\n");
  files.write("c.csv", "source,target\np0,p1\n");
  files.write("d.csv", "target,source\np2,p1\np2,p2\n");
  train::DataConfig& config = files.config.data;
  config.nodes = FileList({files.path("a.csv"), files.path("b.csv")});
  config.edges = FileList({files.path("c.csv"), files.path("d.csv")});
  const train::Dataset data = train::read_dataset(config);
  CHECK(data.graph.node_count() == 3);
  CHECK(data.graph.edge_count() == 3);
  CHECK(data.labels.classes == std::vector<std::int32_t>{1, 0, 1});
  config.self_loops = graph::SelfLoops::refuse;
  CHECK_THROWS_WITH(train::read_dataset(config), Contains(files.path("d.csv") + ":3: "));
  files.write("net.gml", "graph [ node [ id 1 ] ]");
  config.edges = FileList({files.path("c.csv"), files.path("net.gml")});
  CHECK_THROWS_WITH(train::read_dataset(config), Contains("data.edges: ") && Contains("net.gml: is a graph file"));
}

TEST_CASE("the types of Gephi's edges make the graph directed", "[train][source]") {
  test::FriendFiles files;
  files.write("people.csv", "id,age,buys\np0,30,yes\np1,20,no\np2,40,yes\n");
  train::DataConfig& config = files.config.data;
  const auto read = [&](const std::string& text) {
    files.write("friends.csv", text);
    return train::read_dataset(config);
  };
  const std::string directed = "Source,Target,Type\np0,p1,Directed\np1,p2,Directed\n";
  const train::Dataset data = read(directed);
  CHECK(data.graph.direction() == graph::Direction::directed);
  CHECK(data.reading.directed);
  CHECK_THAT(data.notes.front(),
             Contains("friends.csv: the column \"Type\" says that edges are directed; data.directed=false takes all"));
  const train::Dataset mixed = read("Source,Target,Type\np0,p1,Directed\np1,p2,Undirected\n");
  CHECK(mixed.graph.edge_count() == 3);
  CHECK_THAT(mixed.notes.front(), Contains("some edges are directed, and the 1 undirected ones are read as two edges"));
  CHECK(read("Source,Target,Type\np0,p1,Undirected\np1,p2,Undirected\n").graph.direction() ==
        graph::Direction::undirected);
  config.undirected = true;
  CHECK(read(directed).graph.direction() == graph::Direction::undirected);
}

TEST_CASE("a table of nodes without a header is blamed for a node that edges name", "[train][source]") {
  test::FriendFiles files;
  files.write("people.txt", "0 1\n1 1\n2 0\n3 1\n");
  files.write("edges.txt", "1 2\n2 3\n0 3\n");
  train::DataConfig& config = files.config.data;
  config.nodes = files.path("people.txt");
  config.edges = files.path("edges.txt");
  config.label = {"2"};
  CHECK_THROWS_WITH(train::read_dataset(config),
                    Contains("edges.txt:3: ") && Contains("the first row looks like data: give the table a header"));
  config.unknown_nodes = io::UnknownNodes::drop;
  const train::Dataset data = train::read_dataset(config);
  CHECK(std::ranges::any_of(data.notes, [](const std::string& note) {
    return note.find("the first row looks like data, since \"0\" is a node") != note.npos;
  }));
}

TEST_CASE("an unnamed column is ignored by its position", "[train][source]") {
  test::FriendFiles files;
  files.write("people.csv", ",id,age,buys\n0,p0,30,yes\n1,p1,20,no\n2,p2,40,yes\n");
  files.write("friends.csv", "source,target\np0,p1\np1,p2\n");
  train::DataConfig& config = files.config.data;
  config.ignore = {"1"};
  CHECK(train::read_dataset(config).reading.ignore == std::vector<std::string>{"column 1"});
  config.label = {"4"};
  CHECK(train::read_dataset(config).reading.label == std::vector<std::string>{"buys"});
  config.ignore = {"9"};
  CHECK_THROWS_WITH(train::read_dataset(config), Contains("no column \"9\""));
}
