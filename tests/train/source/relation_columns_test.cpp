#include "edgewise/train/source/relation_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/train/doctor/read_dataset.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

using NamedFiles = std::vector<std::pair<std::string, std::string>>;

/// Purchases with amounts and ways to pay, one of them unknown each, and friends without columns.
struct Purchases {
  test::TemporaryDirectory directory;
  train::DataConfig config;

  Purchases() {
    write("people.csv", "person,churned\n1,yes\n2,no\n3,\n");
    write("purchases.csv", "person,product,amount,paid\n1,1,10,cash\n1,2,,card\n3,2,30,\n");
    write("friends.csv", "person,friend\n1,2\n");
    config.nodes = FileList(NamedFiles{{"people", path("people.csv")}});
    config.edges = FileList(NamedFiles{{"people:knows:people", path("friends.csv")},
                                       {"people:buys:products", path("purchases.csv")}});
    config.label = {"people.churned"};
  }

  std::string path(const char* name) const { return (directory.path() / name).string(); }
  void write(const char* name, const std::string& text) const { std::ofstream(directory.path() / name) << text; }
  train::Dataset read() const { return train::read_dataset(config, {}); }
  /// As a model reads other files that was trained on these.
  train::Dataset read_for(const train::Dataset& trained) const {
    train::DataConfig again = config;
    again.edge_features = trained.reading.edge_features;
    again.edge_categories = trained.reading.edge_categories;
    again.edge_scaler = trained.reading.edge_scaler;
    return train::read_dataset(again, {.known_labels = {"no", "yes"}, .known_task = "classification"});
  }
};

std::string notes_on_edges(const train::Dataset& data) { return fmt::format("{}", fmt::join(data.notes, "\n")); }

}  // namespace

TEST_CASE("columns of a relation are features of its edges", "[train][kinds][relation_columns]") {
  Purchases shop;
  CHECK_THAT(notes_on_edges(shop.read()), Contains("not used: amount, paid; data.edge_features"));
  shop.config.edge_features = {"paid", "amount"};
  const train::Dataset data = shop.read();
  const graph::EdgeList& edges = data.graph.edges();
  CHECK(edges.feature_names ==
        std::vector<std::string>{"knows", "buys", "buys (reverse)", "people:buys:products.paid = card",
                                 "people:buys:products.paid = cash", "people:buys:products.amount"});
  Matrix expected(8, 6);  // amounts have the mean 20 and the deviation 10
  expected << 1, 0, 0, 0, 0, 0,  //
      1, 0, 0, 0, 0, 0,          //
      0, 1, 0, 0, 1, -1,         //
      0, 0, 1, 0, 1, -1,         //
      0, 1, 0, 1, 0, 0,          //
      0, 0, 1, 1, 0, 0,          //
      0, 1, 0, 0, 0, 1,          //
      0, 0, 1, 0, 0, 1;
  CHECK(edges.features.isApprox(expected, 1e-5F));
  CHECK(data.reading.edge_features ==
        std::vector<std::string>{"people:buys:products.paid", "people:buys:products.amount"});
  shop.config.edge_features = {"people:buys:products.amount"};
  CHECK(shop.read().graph.edges().features.cols() == 4);
}

TEST_CASE("a model reads the columns of other edges as it learnt them", "[train][kinds][relation_columns]") {
  Purchases shop;
  shop.config.edge_features = {"amount", "paid"};
  const train::Dataset trained = shop.read();
  SECTION("scaled as in training, in its categories") {
    shop.write("purchases.csv", "person,product,paid,amount\n1,1,cheque,40\n2,2,card,50\n");
    const train::Dataset data = shop.read_for(trained);
    CHECK(data.graph.edges().feature_names == trained.graph.edges().feature_names);
    CHECK(data.graph.edges().features(2, 3) > 1.5F);  // far from 10 and 30
    CHECK(data.graph.edges().features.row(2).tail(2).isZero());
    CHECK_THAT(notes_on_edges(data), Contains("1 value is not among the categories"));
  }
  SECTION("a text for a number") {
    shop.write("purchases.csv", "person,product,paid,amount\n1,1,cash,40\n2,2,card,much\n");
    CHECK_THROWS_WITH(shop.read_for(trained),
                      Contains("purchases.csv:3") && Contains("amount") && Contains("\"much\""));
  }
  SECTION("numbers for a text") {
    shop.write("purchases.csv", "person,product,paid,amount\n1,1,1,40\n2,2,2,10\n");
    CHECK(shop.read_for(trained).graph.edges().features.rightCols(2).isZero());
  }
  SECTION("a column that is not there") {
    shop.write("purchases.csv", "person,product,paid\n1,1,cash\n");
    CHECK_THROWS_WITH(shop.read_for(trained), Contains("data.edge_features") && Contains("buys:products.amount"));
  }
  SECTION("no edges") {
    shop.write("purchases.csv", "source,target,paid,amount\n");
    CHECK(shop.read_for(trained).graph.edges().features.cols() == 6);
  }
}

TEST_CASE("columns of edges that are not there are refused", "[train][kinds][relation_columns]") {
  Purchases shop;
  shop.config.edge_features = {"amuont"};
  CHECK_THROWS_WITH(shop.read(), Contains("no edges have values in a column \"amuont\"") &&
                                     Contains("other columns: amount, paid") && Contains("did you mean \"amount\"?"));
  shop.write("purchases.csv", "person,product,amount\n1,1,\n");
  shop.config.edge_features = {"amount"};
  CHECK_THROWS_WITH(shop.read(), Contains("no edges have values in a column \"amount\""));
  shop.config.edge_features = {};
  shop.config.weight = "amount";
  CHECK_THROWS_WITH(shop.read(), Contains("data.weight: edges between kinds") && Contains("edge_features amount"));
}
