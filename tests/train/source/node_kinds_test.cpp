#include "edgewise/train/source/node_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/train/doctor/kind_facts.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

using Named = std::vector<std::pair<std::string, std::string>>;

/// People 1, 2, 3 and products 1, 2, which share their names.
struct Shop {
  test::TemporaryDirectory directory;
  train::DataConfig config;

  Shop() {
    write("people.csv", "person,age,churned\n1,30,yes\n2,40,no\n3,50,\n");
    write("products.csv", "product,price\n1,10\n2,30\n");
    write("purchases.csv", "person,product\n1,1\n1,2\n3,2\n");
    write("friends.csv", "person,friend\n1,2\n");
    config.nodes = FileList(Named{{"people", path("people.csv")}, {"products", path("products.csv")}});
    config.edges = FileList(Named{{"people:knows:people", path("friends.csv")},
                                  {"people:buys:products", path("purchases.csv")}});
    config.label = {"people.churned"};
  }

  std::string path(const char* name) const { return (directory.path() / name).string(); }
  void write(const char* name, const std::string& text) const { std::ofstream(directory.path() / name) << text; }
  train::Dataset read() const { return train::read_dataset(config, {}); }
};

std::string notes_of(const train::Dataset& data) { return fmt::format("{}", fmt::join(data.notes, "\n")); }

}  // namespace

TEST_CASE("kinds are ranges of one index space, and relations features of edges", "[train][kinds]") {
  const Shop shop;
  const train::Dataset data = shop.read();
  REQUIRE(data.kinds);
  REQUIRE(data.graph.node_count() == 5);
  CHECK(data.graph.names()[0] == "people:1");
  CHECK(data.graph.names()[3] == "products:1");
  CHECK(data.items().size() == 3);
  CHECK(data.items()[0] == "1");
  CHECK(data.find_node("2") == graph::Node{1});
  CHECK(data.find_node("people:2") == graph::Node{1});
  CHECK_FALSE(data.find_node("products:2"));
  CHECK(data.kinds->describe(data.graph.names(), 4) == "products \"2\"");
  CHECK(data.labels.classes == std::vector<std::int32_t>{1, 0, -1});
  CHECK(data.reading.label == std::vector<std::string>{"churned"});
  CHECK(data.reading.label_kind == "people");
  CHECK(data.edge_count() == 4);
  // Both ways of each edge: of knows in one column, of buys in one each way.
  const graph::EdgeList& edges = data.graph.edges();
  CHECK(edges.feature_names == std::vector<std::string>{"knows", "buys", "buys (reverse)"});
  REQUIRE(edges.size() == 8);
  CHECK(edges.features.colwise().sum() == Eigen::RowVector3f(2, 3, 3));
  CHECK(edges.features.rowwise().sum() == Eigen::VectorXf::Ones(8));
  CHECK(edges.sources == std::vector<graph::Node>{0, 1, 0, 3, 0, 4, 2, 4});
  CHECK(edges.targets == std::vector<graph::Node>{1, 0, 3, 0, 4, 0, 4, 2});
}

TEST_CASE("the order of files and kinds changes nothing", "[train][kinds]") {
  Shop shop;
  const train::Dataset one = shop.read();
  shop.config.nodes = FileList(Named{{"products", shop.path("products.csv")}, {"people", shop.path("people.csv")}});
  shop.config.edges = FileList(Named{{"people:buys:products", shop.path("purchases.csv")},
                                     {"people:knows:people", shop.path("friends.csv")}});
  const train::Dataset other = shop.read();
  CHECK(one.graph.edges().sources == other.graph.edges().sources);
  CHECK(one.graph.edges().features == other.graph.edges().features);
  CHECK(one.graph.names()[4] == other.graph.names()[4]);
}

TEST_CASE("the features of kinds are block diagonal", "[train][kinds]") {
  const Shop shop;
  const train::Dataset data = shop.read();
  const data::Split split = {data::Role::train, data::Role::train, data::Role::none};
  const train::FeatureMap map = train::FeatureMap::fit(data, {}, split);
  REQUIRE(map.columns() == 4);  // age, kind people, price, kind products
  const data::Features features = map.apply(data);
  REQUIRE_FALSE(features.is_sparse);
  Matrix expected(5, 4);
  expected << -1, 1, 0, 0,  //
      1, 1, 0, 0,           //
      3, 1, 0, 0,           // scaled by the training rows
      0, 0, -1, 1,          //
      0, 0, 1, 1;
  CHECK(features.dense.isApprox(expected, 1e-5F));
  const train::FeatureMap again = train::FeatureMap::from_json(map.to_json());
  CHECK(again.apply(data).dense == features.dense);
}

TEST_CASE("a kind without columns is known by the names of its nodes", "[train][kinds]") {
  Shop shop;
  shop.config.nodes = FileList(Named{{"people", shop.path("people.csv")}});
  const train::Dataset data = shop.read();
  CHECK_THAT(notes_of(data), Contains("the kind products has no table") && Contains("2 nodes are those"));
  REQUIRE(data.graph.node_count() == 5);
  const data::Split split = {data::Role::train, data::Role::train, data::Role::none};
  const train::FeatureMap map = train::FeatureMap::fit(data, {}, split);
  CHECK(map.columns() == 4);  // age, kind people, product 2 (which has two edges), kind products
  const Matrix features = map.apply(data).dense;
  CHECK(features.row(4) == Eigen::RowVector4f(0, 0, 1, 1));
  CHECK(features.row(3) == Eigen::RowVector4f(0, 0, 0, 1));

  // As words, they are columns of those who bought them, too.
  const train::FeatureMap words = train::FeatureMap::fit(data, {}, split, /*has_words=*/true);
  const Matrix with_words = words.apply(data).dense;
  CHECK(with_words.col(2) == Eigen::Vector<float, 5>(1, 0, 1, 0, 1));
  CHECK(with_words.rightCols(1) == features.rightCols(1));
  CHECK(with_words.leftCols(2) == features.leftCols(2));
  const train::FeatureMap again = train::FeatureMap::from_json(words.to_json());
  CHECK(again.has_words());
  CHECK(again.apply(data).dense == with_words);
}

TEST_CASE("degrees are counted within a relation", "[train][kinds]") {
  const Shop shop;
  const train::Dataset data = shop.read();
  const std::vector<train::RelationFacts> facts = train::relation_facts(data);
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].source.without == 1);  // knows: person 3
  CHECK(facts[1].source.largest == 2);
  CHECK(facts[1].source.mean == 1);
  CHECK(facts[1].source.without == 1);
  CHECK(facts[1].target.largest == 2);
  CHECK(facts[1].target.without == 0);
}

TEST_CASE("columns that are named after the kinds are their ends, in any order", "[train][kinds]") {
  Shop shop;
  shop.write("purchases.csv", "product_id,person_id,amount\n1,1,2\n2,1,3\n2,3,1\n");
  const train::Dataset data = shop.read();
  CHECK(data.graph.node_count() == 5);
  CHECK(data.graph.edges().sources[2] == data.find_node("1"));
  shop.write("purchases.csv", "product,buyer\n1,1\n2,2\n");
  CHECK_THAT(notes_of(shop.read()), Contains("the column \"product\" is taken for people, not products"));
}

TEST_CASE("relations whose names differ in case are doubted", "[train][kinds]") {
  Shop shop;
  shop.config.edges = FileList(Named{{"people:buys:products", shop.path("purchases.csv")},
                                     {"people:BUYS:products", shop.path("purchases.csv")}});
  CHECK_THAT(notes_of(shop.read()), Contains("the relations \"BUYS\" and \"buys\" differ in case alone"));
}

TEST_CASE("odd kinds and relations are named", "[train][kinds]") {
  Shop shop;
  const auto edges = [&](const char* name, const char* file) {
    shop.config.edges = FileList(Named{{name, shop.path(file)}});
  };
  SECTION("a node that its table does not list") {
    shop.write("purchases.csv", "person,product\n1,1\n1,7\n");
    CHECK_THROWS_WITH(shop.read(), Contains("purchases.csv:3") && Contains("unknown node products \"7\"") &&
                                       Contains("not among the 2 products"));
    shop.config.unknown_nodes = io::UnknownNodes::drop;
    const train::Dataset dropped = shop.read();
    CHECK(dropped.edge_count() == 2);
    CHECK_THAT(notes_of(dropped), Contains("leaves out 1 edge"));
    shop.config.unknown_nodes = io::UnknownNodes::add;
    CHECK(shop.read().graph.node_count() == 6);
  }
  SECTION("a relation that is not named as one") {
    for (const char* name : {"people", "people:products", "people::products", "a:b:c:d"}) {
      edges(name, "purchases.csv");
      CHECK_THROWS_WITH(shop.read(), Contains("data.edges: expected KIND:RELATION:KIND=FILE") && Contains(name));
    }
  }
  SECTION("a kind that is hardly another") {
    edges("peple:buys:products", "purchases.csv");
    CHECK_THAT(notes_of(shop.read()), Contains("the kind peple has no table") &&
                                                    Contains("did you mean \"people\"?") &&
                                                    Contains("the kind people has no edges"));
  }
  SECTION("a relation without edges, and an empty kind") {
    shop.write("purchases.csv", "source,target\n");
    shop.write("products.csv", "product,price\n");
    const train::Dataset data = shop.read();
    CHECK(data.graph.node_count() == 3);
    CHECK_THAT(notes_of(data), Contains("people:buys:products") && Contains("has no edges") &&
                                             Contains("the kind products has no nodes"));
    const data::Split split(3, data::Role::train);
    CHECK(train::FeatureMap::fit(data, {}, split).apply(data).rows() == 3);
  }
  SECTION("edges that are repeated") {
    shop.write("purchases.csv", "person,product\n1,1\n1,1\n");
    CHECK(shop.read().edge_count() == 2);
    CHECK_THAT(notes_of(shop.read()), Contains("1 edge is repeated"));
    shop.config.duplicates = train::Duplicates::keep_all;
    CHECK(shop.read().edge_count() == 3);
    shop.config.duplicates = train::Duplicates::refuse;
    CHECK_THROWS_WITH(shop.read(), Contains("1 edge is there twice"));
  }
  SECTION("a relation of two files is read one after the other") {
    shop.write("more.csv", "person,product\n2,1\n");
    shop.config.edges = FileList(Named{{"people:buys:products", shop.path("purchases.csv")},
                                       {"people:buys:products", shop.path("more.csv")}});
    CHECK(shop.read().edge_count() == 4);
  }
  SECTION("labels") {
    const auto refused = [&](const char* label, const auto& expected) {
      shop.config.label = {label};
      CHECK_THROWS_WITH(shop.read(), expected);
    };
    refused("churned", Contains("data.label: expected KIND.COLUMN with one of the kinds people, products") &&
                           Contains("got \"churned\""));
    refused("peple.churned", Contains("did you mean \"people\"?"));
    refused("people.chured", Contains("people.csv") && Contains("chured"));
    shop.config.label = {"people.churned", "products.price"};
    CHECK_THROWS_WITH(shop.read(), Contains("expected labels of one kind, got those of people, products"));
    shop.config.nodes = FileList(Named{{"people", shop.path("people.csv")}});
    refused("products.price", Contains("the kind products has no table with labels"));
  }
  SECTION("what is for one kind of nodes") {
    shop.config.weight = "amount";
    CHECK_THROWS_WITH(shop.read(), Contains("data.weight"));
  }
  SECTION("names for one of the two") {
    shop.config.nodes = shop.path("people.csv");
    CHECK_THROWS_WITH(shop.read(), Contains("data.nodes: expected KIND=FILE"));
    shop.config.nodes = FileList(Named{{"people", shop.path("people.csv")}});
    shop.config.edges = shop.path("friends.csv");
    CHECK_THROWS_WITH(shop.read(), Contains("data.edges: expected KIND:RELATION:KIND=FILE"));
  }
}

TEST_CASE("columns of any kind can be ignored", "[train][kinds]") {
  Shop shop;
  shop.config.ignore = {"people.age", "products.price"};
  const train::Dataset data = shop.read();
  CHECK(data.reading.ignore == std::vector<std::string>{"age"});
  CHECK(data.kinds->kinds[1].table.columns.empty());
}

TEST_CASE("ties of a relation lead from one kind to another", "[train][kinds]") {
  Shop shop;
  shop.write("purchases.csv", "person,product\n1,1\n1,2\n3,2\n2,1\n1,1\n");
  shop.config.label.clear();
  shop.config.task = "links";
  shop.config.relation = "people:buys:products";
  const train::Dataset data = shop.read();
  REQUIRE(data.links);
  const train::LinkItems& links = *data.links;
  CHECK(links.sources == std::vector<graph::Node>{0, 0, 2, 1});
  CHECK(links.targets == std::vector<graph::Node>{3, 4, 4, 3});
  CHECK(data.items()[2] == "3,2");
  CHECK(links.sides == std::vector<std::uint8_t>{0, 0, 0, 1, 1});
  CHECK(links.has_two_sides);
  CHECK(links.direction == graph::Direction::undirected);
  // Both ways of a purchase are the tie, those of a friendship none.
  const auto kNone = train::LinkItems::kNoTie;
  CHECK(links.tie_of_edge == std::vector<graph::StoredEdge>{kNone, kNone, 0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(data.node_table().find("age") != nullptr);
  const train::PairNames names = data.pair_names();
  CHECK(names.source("2") == graph::Node{1});
  CHECK(names.target("2") == graph::Node{4});
  CHECK(names.target("products:2") == graph::Node{4});
  CHECK_FALSE(names.target("people:2"));
  CHECK(names.of_target(4) == "2");

  // Ties within a kind: products stand at neither end, and both ways of a friendship are one.
  shop.write("friends.csv", "person,friend\n1,2\n2,3\n3,1\n2,2\n");
  shop.config.relation = "people:knows:people";
  const train::Dataset friends = shop.read();
  REQUIRE(friends.links->size() == 3);
  CHECK(friends.links->sides == std::vector<std::uint8_t>{0, 0, 0, 2, 2});
  CHECK_FALSE(friends.links->has_two_sides);
  CHECK(std::ranges::count(friends.links->tie_of_edge, kNone) == 1 + 8);
  shop.config.directed = true;
  const train::Dataset directed = shop.read();
  CHECK(directed.links->direction == graph::Direction::directed);
  CHECK(directed.links->size() == 3);
  CHECK(std::ranges::count(directed.links->tie_of_edge, graph::StoredEdge{2}) == 2);
}

TEST_CASE("a relation to learn is named, unless there is but one", "[train][kinds]") {
  Shop shop;
  shop.config.label.clear();
  shop.config.task = "links";
  CHECK_THROWS_WITH(shop.read(), Contains("data.relation: name the relation whose ties are learnt") &&
                                     Contains("people:knows:people, people:buys:products"));
  shop.config.relation = "people:buy:products";
  CHECK_THROWS_WITH(shop.read(), Contains("got \"people:buy:products\"") && Contains("people:buys:products"));
  shop.config.relation.clear();
  shop.config.edges = FileList(Named{{"people:buys:products", shop.path("purchases.csv")}});
  const train::Dataset data = shop.read();
  CHECK(data.reading.relation == "people:buys:products");
  CHECK(data.links->size() == 3);
}
