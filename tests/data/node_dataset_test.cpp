#include "edgewise/data/node_dataset.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/graph/boost_graph.hpp"
#include "support/dataset.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;
using test::kShipped;

namespace {

LoadedDataset load(const std::string& name, const LoadOptions& options = {}) {
  const Catalogue catalogue = read_catalogue(kShipped);
  return load_dataset(catalogue, find_dataset(catalogue, name), default_data_directories(), options);
}

std::vector<std::size_t> class_sizes(const Labels& labels) {
  std::vector<std::size_t> sizes(labels.names.size(), 0);
  for (const std::int32_t c : labels.classes)
    if (c >= 0) ++sizes[static_cast<std::size_t>(c)];
  return sizes;
}

std::vector<std::size_t> part_sizes(const Split& split) {
  return {nodes_with_role(split, Role::train).size(), nodes_with_role(split, Role::validation).size(),
          nodes_with_role(split, Role::test).size()};
}

}  // namespace

TEST_CASE("the karate club", "[data][node_dataset]") {
  const LoadedDataset karate = load("karate-club");
  const graph::Graph& graph = karate.data.graph;
  CHECK(graph.node_count() == 34);
  CHECK(graph.edge_count() == 78);
  CHECK(graph.arc_count() == 156);
  CHECK(graph.names()[0] == "1");
  CHECK(boost::out_degree(graph::Node{33}, graph.boost()) == 17);
  CHECK(boost::out_degree(graph::Node{0}, graph.boost()) == 16);
  CHECK(karate.data.labels.names == std::vector<std::string>{"Mr. Hi", "Officers"});
  CHECK(class_sizes(karate.data.labels) == std::vector<std::size_t>{17, 17});
  CHECK(part_sizes(karate.data.splits.at(0)) == std::vector<std::size_t>{4, 6, 24});
  CHECK(karate.data.features.is_sparse);
  CHECK(karate.data.features.columns() == 34);
  CHECK_FALSE(karate.encoder.has_value());
}

TEST_CASE("the purchases", "[data][node_dataset]") {
  const LoadedDataset purchases = load("purchases");
  CHECK(purchases.data.graph.direction() == graph::Direction::directed);
  CHECK(purchases.data.graph.edges().weights.size() == 15157);
  CHECK(purchases.data.labels.names == std::vector<std::string>{"no", "yes"});
  CHECK(purchases.data.features.dense.allFinite());
  CHECK(part_sizes(purchases.data.splits.at(0)) == std::vector<std::size_t>{929, 330, 335});
  REQUIRE(purchases.encoder.has_value());
  CHECK(purchases.encoder->columns() == 19);
}

TEST_CASE("data sets that cannot be loaded", "[data][node_dataset]") {
  CHECK_THROWS_WITH(load("tu-MUTAG"), Contains("is for the task \"graph classification\""));
  CHECK_THROWS_WITH(load("karate-club", {.split = "public"}), Contains("has no split \"public\"; given are: ours"));
  const Catalogue catalogue = read_catalogue(kShipped);
  const std::vector<std::string> nowhere = {"/nowhere"};
  CHECK_THROWS_WITH(load_dataset(catalogue, find_dataset(catalogue, "cora"), nowhere),
                    Contains("cora/labels.csv is missing; looked in") && Contains("/nowhere"));

  // A truncated copy: the counts differ.
  const test::TemporaryDirectory folder;
  for (const char* name : {"catalogue.json", "karate-club/nodes.csv"}) {
    std::ifstream in(kShipped + "/" + name, std::ios::binary);
    folder.write(name, std::string(std::istreambuf_iterator<char>(in), {}));
  }
  folder.write("karate-club/edges.csv", "source,target\n1,2\n2,3\n");
  const Catalogue cut = read_catalogue(folder.path());
  CHECK_THROWS_WITH(load_dataset(cut, find_dataset(cut, "karate-club"), {}), Contains("expected 78 edges, found 2"));
  folder.write("karate-club/edges.csv", "source,target\n1,2\n2,35\n");
  CHECK_THROWS_WITH(load_dataset(cut, find_dataset(cut, "karate-club"), {}), Contains("edges.csv:3"));
}

TEST_CASE("every node-level data set has the counts of the catalogue", "[data][node_dataset]") {
  if (!test::dataset("cora")) return;
  const Catalogue catalogue = read_catalogue(kShipped);
  for (const CatalogueSet& dataset : catalogue.datasets) {
    if (!dataset.is_node_level()) continue;
    INFO(dataset.name);
    NodeData data;
    REQUIRE_NOTHROW(data = load_dataset(catalogue, dataset, default_data_directories()).data);  // compares the counts
    CHECK(data.name == dataset.name);
    CHECK(data.features.rows() == data.graph.node_count());
    for (const std::string& split : dataset.splits)
      CHECK_NOTHROW(load_dataset(catalogue, dataset, default_data_directories(), {.split = split}));
  }
}

TEST_CASE("every data set is present and undamaged", "[data][node_dataset]") {
  if (!test::dataset("cora")) return;
  const Catalogue catalogue = read_catalogue(kShipped);
  for (const CatalogueSet& dataset : catalogue.datasets) {
    const DatasetStatus status = dataset_status(catalogue, dataset, default_data_directories());
    INFO(dataset.name << ": " << status.detail);
    CHECK(status.state == DatasetState::here);
  }
}

TEST_CASE("citation networks", "[data][node_dataset]") {
  if (!test::dataset("cora")) return;
  const NodeData cora = load("cora").data;
  CHECK(class_sizes(cora.labels) == std::vector<std::size_t>{351, 217, 418, 818, 426, 298, 180});
  REQUIRE(cora.splits.size() == 1);
  CHECK(part_sizes(cora.splits[0]) == std::vector<std::size_t>{140, 500, 1000});
  CHECK(cora.graph.arc_count() == 10556);
  CHECK(cora.features.sparse.nonZeros() == 49216);
  float first_row = 0;
  for (SparseMatrix::InnerIterator entry(cora.features.sparse, 0); entry; ++entry) first_row += entry.value();
  CHECK(first_row == Approx(1));
  CHECK(load("cora", {.normalise_rows = false}).data.features.sparse.valuePtr()[0] == 1);
  const NodeData ten = load("cora", {.split = "geom-gcn"}).data;
  REQUIRE(ten.splits.size() == 10);
  CHECK(part_sizes(ten.splits[0]) == std::vector<std::size_t>{1192, 796, 497});

  const NodeData citeseer = load("citeseer").data;
  CHECK(class_sizes(citeseer.labels) == std::vector<std::size_t>{249, 590, 668, 701, 596, 508});
  CHECK(part_sizes(citeseer.splits.at(0)) == std::vector<std::size_t>{120, 500, 1000});
  CHECK(class_sizes(load("pubmed").data.labels) == std::vector<std::size_t>{4103, 7739, 7875});
}

TEST_CASE("social and other networks", "[data][node_dataset]") {
  if (!test::dataset("musae-facebook")) return;
  const NodeData facebook = load("musae-facebook").data;
  CHECK(facebook.labels.names == std::vector<std::string>{"company", "government", "politician", "tvshow"});
  CHECK(class_sizes(facebook.labels) == std::vector<std::size_t>{6495, 6880, 5768, 3327});
  CHECK(facebook.features.sparse.nonZeros() == 314583);
  CHECK(facebook.splits.empty());
  const NodeData mines = load("hetero-minesweeper").data;
  CHECK(mines.splits.size() == 10);
  CHECK(part_sizes(mines.splits[3]) == std::vector<std::size_t>{5000, 2500, 2500});
  CHECK(class_sizes(mines.labels) == std::vector<std::size_t>{8000, 2000});
  const NodeData traffic = load("wikipedia-chameleon").data;
  CHECK(traffic.labels.task == Task::regression);
  CHECK(traffic.graph.direction() == graph::Direction::directed);
  CHECK(load("classic-football").data.labels.names.size() == 12);

  // The shipped karate club has the same ties as the public copy, whose nodes are counted from 0.
  const NodeData ours = load("karate-club").data, public_copy = load("classic-karate-club").data;
  for (graph::Node node = 0; node < 34; ++node) {
    CHECK(public_copy.graph.names()[node] == std::to_string(node));
    CHECK(ours.labels.classes[node] == public_copy.labels.classes[node]);
    for (graph::Node other = 0; other < 34; ++other)
      CHECK(boost::edge(node, other, ours.graph.boost()).second ==
            boost::edge(node, other, public_copy.graph.boost()).second);
  }
}
