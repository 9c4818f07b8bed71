#include "edgewise/train/source/frozen_kinds.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/data/freeze_network.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/use/freeze.hpp"
#include "support/temporary_directory.hpp"
#include "train/notes.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

/// People and products, with amounts of purchases; someone knows herself, and one friendship is listed both ways.
struct FrozenShop {
  test::TemporaryDirectory directory;
  train::Config config;

  explicit FrozenShop(std::size_t parts) {
    write("people.csv", "person,age,churned\n1,30,yes\n2,40,no\n3,50,no\n4,20,yes\n5,25,no\n");
    write("products.csv", "product,price\n1,10\n2,30\n3,5\n");
    write("purchases.csv", "person,product,amount\n1,1,5\n1,2,7\n3,2,1\n4,3,2\n5,3,9\n");
    write("friends.csv", "person,friend\n1,2\n3,3\n4,2\n2,4\n5,1\n");
    using Named = std::vector<std::pair<std::string, std::string>>;
    config.data.nodes =
        FileList(Named{{"people", directory.path("people.csv")}, {"products", directory.path("products.csv")}});
    config.data.edges = FileList(Named{{"people:knows:people", directory.path("friends.csv")},
                                       {"people:buys:products", directory.path("purchases.csv")}});
    config.data.label = {"people.churned"};
    config.data.edge_features = {"amount"};
    config.data.duplicates = train::Duplicates::keep_all;
    train::freeze_data({.config = config, .out = directory.path("net.edgewise"), .parts = parts}, test::ignore_note);
  }

  void write(const char* name, const std::string& text) const { std::ofstream(directory.path(name)) << text; }
  train::DataConfig frozen() const {
    train::DataConfig data;
    data.frozen = directory.path("net.edgewise");
    return data;
  }
};

/// Of each edge its ends and features, with those of the edge after it where that is its reverse.
using NamedEdge = std::tuple<std::string, std::string, std::vector<float>>;

std::multiset<NamedEdge> named_edges(const graph::Graph& graph) {
  const graph::EdgeList& edges = graph.edges();
  std::multiset<NamedEdge> named;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Eigen::RowVectorXf features = edges.features.row(static_cast<Eigen::Index>(e));
    named.emplace(graph.names()[edges.sources[e]], graph.names()[edges.targets[e]],
                  std::vector<float>(features.data(), features.data() + features.size()));
  }
  return named;
}

}  // namespace

TEST_CASE("a frozen network has the kinds and relations of its tables", "[train][kinds][freeze]") {
  const FrozenShop shop(GENERATE(1, 3));
  const train::Dataset tables = train::read_dataset(shop.config.data), data = train::read_dataset(shop.frozen());
  REQUIRE(data.kinds);
  REQUIRE(data.kinds->kinds.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(data.kinds->kinds[k].name == tables.kinds->kinds[k].name);
    CHECK(data.kinds->kinds[k].first == tables.kinds->kinds[k].first);
    CHECK(data.kinds->kinds[k].count == tables.kinds->kinds[k].count);
  }
  CHECK(data.kinds->names_of_relations() == tables.kinds->names_of_relations());
  CHECK(data.edge_count() == tables.edge_count());
  CHECK(data.items().size() == 5);
  REQUIRE(data.labels.classes.size() == 5);
  for (graph::Node node = 0; node < 5; ++node)
    CHECK(data.labels.classes[node] == tables.labels.classes[tables.find_node(data.items()[node]).value()]);
}

TEST_CASE("ties of a relation are learnt from the edges of the tables", "[train][kinds][freeze]") {
  const FrozenShop shop(GENERATE(1, 3));
  train::DataConfig tables = shop.config.data, frozen = shop.frozen();
  tables.label.clear();
  for (train::DataConfig* config : {&tables, &frozen}) {
    config->task = "links";
    config->relation = "people:buys:products";
  }
  const train::Dataset expected = train::read_dataset(tables), data = train::read_dataset(frozen);
  CHECK(named_edges(data.graph) == named_edges(expected.graph));
  CHECK(data.links->size() == 5);
  CHECK(data.links->has_two_sides);
  frozen.relation = "people:sells:products";
  CHECK_THROWS_WITH(train::read_dataset(frozen), Contains("one of people:knows:people, people:buys:products"));
}

TEST_CASE("a description that does not fit its network is refused", "[train][kinds][freeze]") {
  const FrozenShop shop(1);
  const data::FrozenNetwork network(shop.frozen().frozen);
  CHECK(train::kinds_of(network, network.names()));
  graph::NodeNames fewer = graph::NodeNames::numbered(3);
  CHECK_THROWS_AS(train::kinds_of(network, fewer), DataError);
  CHECK_THROWS_WITH(train::kinds_of(network, graph::NodeNames::numbered(8)), Contains("freeze the network again"));
}
