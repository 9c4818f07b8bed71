#include "edgewise/data/graph_dataset.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "io/files.hpp"
#include "io/graphs.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;
using test::kShipped;

namespace {

/// Graph 1 has the nodes 1, 3, 4 (a path 3 - 1 - 4), graph 2 none, graph 3 the nodes 2 and 5 with an edge.
io::TuDataset scattered() {
  io::TuDataset set;
  set.name = "TOY";
  set.graph_count = 3;
  for (const char* name : {"1", "2", "3", "4", "5"}) set.names.add(name);
  set.graph_of_node = {0, 2, 0, 0, 2};
  set.edges.sources = {2, 0, 4, 1, 0, 3};
  set.edges.targets = {0, 2, 1, 4, 3, 0};
  set.edge_labels = {1, 1, 0, 0, 1, 0};  // the two rows of 1 - 4 disagree: the first counts
  set.edge_label_names = {"5", "7"};
  set.edges.features = Matrix(6, 1);
  set.edges.features << 10, 10, 20, 20, 30, 31;
  set.node_labels = {0, 1, 1, 0, 0};
  set.node_label_names = {"8", "9"};
  set.node_attributes = Matrix(5, 1);
  set.node_attributes << 1, 2, 3, 4, 5;
  set.graph_labels = {1, 0, 1};
  set.graph_label_names = {"-1", "1"};
  return set;
}

GraphData load_graphs(const std::string& name) {
  const Catalogue catalogue = read_catalogue(kShipped);
  return load_graph_dataset(catalogue, find_dataset(catalogue, name), default_data_directories());
}

}  // namespace

TEST_CASE("Nodes are grouped by graph, and each edge appears once", "[data][graph_dataset]") {
  const GraphData data = to_graph_data(scattered());
  CHECK(data.name == "TOY");
  CHECK(data.names == std::vector<std::string>{"1", "2", "3"});
  CHECK(data.offsets == std::vector<graph::Node>{0, 3, 3, 5});
  CHECK(test::edges_of(data.graph.names(), data.graph.edges()) == "3>1 5>2 1>4");
  CHECK(data.graph.arc_count() == 6);
  CHECK(data.graph.edges().feature_names == std::vector<std::string>{"label 5", "label 7", "attribute 1"});
  Matrix edge_features(3, 3);
  edge_features << 0, 1, 10, 1, 0, 20, 0, 1, 30;
  CHECK(data.graph.edges().features == edge_features);
  CHECK(data.features.names == std::vector<std::string>{"label 8", "label 9", "attribute 1"});
  Matrix features(5, 3);
  features << 1, 0, 1, 0, 1, 3, 1, 0, 4, 0, 1, 2, 1, 0, 5;  // nodes 1, 3, 4, 2, 5
  CHECK(data.features.dense == features);
  CHECK(data.labels.task == Task::classification);
  CHECK(data.labels.classes == std::vector<std::int32_t>{1, 0, 1});
  CHECK(data.labels.names == std::vector<std::string>{"-1", "1"});
  CHECK(data.splits.empty());
}

TEST_CASE("A data set without features gets a constant, one without labels its attributes", "[data][graph_dataset]") {
  io::TuDataset bare = scattered();
  bare.node_labels.clear();
  bare.node_attributes.resize(0, 0);
  bare.edge_labels.clear();
  bare.edges.features.resize(0, 0);
  bare.graph_attributes = Matrix(3, 2);
  bare.graph_attributes << 1, 2, 3, 4, 5, 6;
  io::TuDataset both = bare, targets_only = bare, nothing = bare;
  const GraphData data = to_graph_data(std::move(bare), Task::regression);
  CHECK(data.features.names == std::vector<std::string>{"constant"});
  CHECK(data.features.dense == Matrix::Ones(5, 1));
  CHECK(data.graph.edges().features.cols() == 0);
  CHECK(data.labels.task == Task::regression);
  CHECK(data.labels.names == std::vector<std::string>{"attribute 1", "attribute 2"});
  CHECK(data.labels.targets(2, 1) == 6);
  CHECK(to_graph_data(std::move(both)).labels.task == Task::classification);
  targets_only.graph_labels.clear();
  CHECK(to_graph_data(std::move(targets_only)).labels.task == Task::regression);
  nothing.graph_attributes.resize(0, 0);
  io::TuDataset again = nothing;
  CHECK_THROWS_WITH(to_graph_data(std::move(nothing), Task::regression),
                    Contains("TOY: the graphs have no attributes"));
  CHECK_THROWS_AS(to_graph_data(std::move(again), Task::multilabel), UsageError);
}

TEST_CASE("Labels are numbered as in the model", "[data][graph_dataset]") {
  io::TuDataset set = scattered();
  std::vector<std::string> notes;
  use_known_labels({.nodes = {"7", "9", "8"}, .edges = {"7"}, .graphs = {"1", "0", "-1"}}, set, notes);
  const GraphData data = to_graph_data(std::move(set));
  CHECK(data.features.names == std::vector<std::string>{"label 7", "label 9", "label 8", "attribute 1"});
  Matrix features(5, 4);
  features << 0, 0, 1, 1, 0, 1, 0, 3, 0, 0, 1, 4, 0, 1, 0, 2, 0, 0, 1, 5;  // nodes 1, 3, 4, 2, 5
  CHECK(data.features.dense == features);
  Matrix edge_features(3, 2);
  edge_features << 1, 10, 0, 20, 1, 30;  // the label 5 is unknown
  CHECK(data.graph.edges().features == edge_features);
  CHECK(data.labels.names == std::vector<std::string>{"1", "0", "-1"});
  CHECK(data.labels.classes == std::vector<std::int32_t>{0, 2, 0});
  CHECK(data.node_labels == std::vector<std::string>{"7", "9", "8"});
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("3 rows of edges have a label not seen in training (5)"));

  io::TuDataset other = scattered();
  use_known_labels({.nodes = {}, .edges = {}, .graphs = {"1", "2"}}, other, notes);
  CHECK(other.graph_label_names == std::vector<std::string>{"-1", "1"});  // -1 is unknown to the model
  other.graph_labels.clear();
  other.node_labels.clear();
  CHECK_THROWS_WITH(use_known_labels({.nodes = {"7"}, .edges = {}, .graphs = {}}, other, notes),
                    Contains("there is no TOY_node_labels.txt, but the model needs the labels of nodes (such as 7)"));
  other.edge_labels.clear();
  CHECK_THROWS_WITH(use_known_labels({.nodes = {}, .edges = {"5"}, .graphs = {}}, other, notes),
                    Contains("there is no TOY_edge_labels.txt"));
  CHECK(to_graph_data(std::move(other), Task::classification, false).labels.names.empty());
}

TEST_CASE("A data set may have no graphs", "[data][graph_dataset]") {
  io::TuDataset none;
  none.graph_attributes.resize(0, 1);
  const GraphData data = to_graph_data(std::move(none));
  CHECK(data.graph_count() == 0);
  CHECK(data.features.rows() == 0);
}

TEST_CASE("Graph data sets that cannot be loaded are refused", "[data][graph_dataset]") {
  CHECK_THROWS_WITH(load_graphs("cora"),
                    Contains("is for the task \"node classification\", not for labels of graphs"));
  const Catalogue catalogue = read_catalogue(kShipped);
  const std::vector<std::string> nowhere = {"/nowhere"};
  CHECK_THROWS_WITH(load_graph_dataset(catalogue, find_dataset(catalogue, "tu-MUTAG"), nowhere),
                    Contains("MUTAG_A.txt is missing; looked in") && Contains("/nowhere"));
  if (!test::dataset("tu-MUTAG")) return;
  CatalogueSet cut = find_dataset(catalogue, "tu-MUTAG");
  for (auto& [what, count] : cut.counts)
    if (what == "edges") count = 7442;
  CHECK_THROWS_WITH(load_graph_dataset(catalogue, cut, default_data_directories()),
                    Contains("expected 7442 edges, found 3721"));
}

TEST_CASE("TU data sets have the counts of the catalogue", "[data][graph_dataset]") {
  const Catalogue catalogue = read_catalogue(kShipped);
  for (const CatalogueSet& dataset : catalogue.datasets) {
    if (!dataset.is_graph_level() || !test::dataset(dataset.name)) continue;
    INFO(dataset.name);
    GraphData data;
    REQUIRE_NOTHROW(data = load_graphs(dataset.name));  // compares the counts
    CHECK(data.graph.arc_count() == 2 * data.graph.edge_count());
    CHECK(data.features.rows() == data.graph.node_count());
    CHECK(data.features.dense.allFinite());
  }
}

TEST_CASE("MUTAG, PROTEINS and ENZYMES", "[data][graph_dataset]") {
  if (test::dataset("tu-MUTAG")) {
    const GraphData mutag = load_graphs("tu-MUTAG");
    CHECK(std::count(mutag.labels.classes.begin(), mutag.labels.classes.end(), 1) == 125);
    CHECK(mutag.offsets[1] == 17);
    CHECK(mutag.features.names.front() == "label 0");
    CHECK(mutag.features.dense.sum() == 3371);  // one-hot
    CHECK(mutag.graph.edges().features.sum() == 3721);
  }
  if (test::dataset("tu-PROTEINS")) {
    const GraphData proteins = load_graphs("tu-PROTEINS");
    CHECK(proteins.features.names.back() == "attribute 1");
    CHECK(std::count(proteins.labels.classes.begin(), proteins.labels.classes.end(), 0) == 663);
    CHECK(proteins.graph.edges().features.cols() == 0);
  }
  if (test::dataset("tu-ENZYMES")) {
    const GraphData enzymes = load_graphs("tu-ENZYMES");
    CHECK(enzymes.labels.names == std::vector<std::string>{"1", "2", "3", "4", "5", "6"});
    CHECK(enzymes.features.dense.leftCols(3).rowwise().sum() == Matrix::Ones(19580, 1));
  }
}
