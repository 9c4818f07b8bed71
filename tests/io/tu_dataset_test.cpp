#include "edgewise/io/tu_dataset.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

namespace {

/// Two graphs: 1 - 2 - 3 and 4 - 5.
void write_good(const Files& files) {
  files.write("TOY_A.txt", "1, 2\n2,1\r\n2, 3\n3, 2\n4, 5\n5, 4\n");
  files.write("TOY_graph_indicator.txt", "1\n1\n1\n2\n2\n\n");
  files.write("TOY_graph_labels.txt", "1\n-1\n");
  files.write_gzip("TOY_node_labels.txt.gz", "10\n9\n10\n0\n0\n");
  files.write("TOY_node_attributes.txt", "  1, 2.5\n3,4\n5,6\n7,8\n9,-1e1\n");
  files.write("TOY_edge_labels.txt", "0\n0\n1\n1\n0\n0\n");
  files.write("TOY_edge_attributes.txt", "1\n1\n2\n2\n3\n3\n");
}

}  // namespace

TEST_CASE("tu dataset is read as one disjoint graph", "[io][tu_dataset]") {
  const Files files;
  write_good(files);
  for (const std::string& path : {files.path(""), files.path("TOY")}) {
    const io::TuDataset set = io::read_tu_dataset(path);
    CHECK(set.name == "TOY");
    CHECK(set.graph_count == 2);
    CHECK(test::edges_of(set.names, set.edges) == "1>2 2>1 2>3 3>2 4>5 5>4");
    CHECK(set.graph_of_node == std::vector<std::uint32_t>{0, 0, 0, 1, 1});
    CHECK(set.graph_labels == std::vector<std::int32_t>{1, 0});
    CHECK(set.graph_label_names == std::vector<std::string>{"-1", "1"});
    CHECK(set.node_labels == std::vector<std::int32_t>{2, 1, 2, 0, 0});
    CHECK(set.node_label_names == std::vector<std::string>{"0", "9", "10"});
    REQUIRE(set.node_attributes.cols() == 2);
    CHECK(set.node_attributes(0, 1) == 2.5f);
    CHECK(set.node_attributes(4, 1) == -10.0f);
    CHECK(set.edge_labels == std::vector<std::int32_t>{0, 0, 1, 1, 0, 0});
    CHECK(set.edges.features(5, 0) == 3.0f);
    CHECK(set.edges.feature_names == std::vector<std::string>{"attribute 1"});
    CHECK(set.graph_attributes.cols() == 0);
  }
}

TEST_CASE("tu dataset refuses hostile files", "[io][tu_dataset]") {
  const Files files;
  const auto with = [&](const std::string& name, std::string_view text) {
    write_good(files);
    files.write(name, text);
    return io::read_tu_dataset(files.path(""));
  };
  CHECK_THROWS_WITH(with("TOY_A.txt", "1, 2\n2, 6\n"), Contains("TOY_A.txt:2: node 6 is out of range: there are 5"));
  CHECK_THROWS_WITH(with("TOY_A.txt", "0, 1\n"), Contains("node 0 is out of range"));
  CHECK_THROWS_WITH(with("TOY_A.txt", "1, 4\n"), Contains("TOY_A.txt:1: an edge between graph 1 and graph 2"));
  CHECK_THROWS_WITH(with("TOY_A.txt", "1 2\n"), Contains("expected two nodes"));
  CHECK_THROWS_WITH(with("TOY_A.txt", "x, 2\n"), Contains("expected the number of a node, got \"x\""));
  CHECK_THROWS_WITH(with("TOY_graph_indicator.txt", "1\n1\n1\n2\n9999999999\n"), Contains("out of range"));
  CHECK_THROWS_WITH(with("TOY_graph_indicator.txt", "1\n1\n1\n2\n99999999\n"), Contains("out of range"));
  CHECK_THROWS_WITH(with("TOY_graph_indicator.txt", "1\n1,x\n"),
                    Contains("TOY_graph_indicator.txt:2: expected one graph, found 2 fields"));
  CHECK_THROWS_WITH(with("TOY_graph_indicator.txt", "1\n\n1\n"), Contains("TOY_graph_indicator.txt:3: an empty line"));
  CHECK_THROWS_WITH(with("TOY_graph_labels.txt", "1\n"), Contains("expected 2 lines, one for each graph, found 1"));
  CHECK_THROWS_WITH(with("TOY_graph_labels.txt", "1\n1.5\n"), Contains("TOY_graph_labels.txt:2: expected one integer"));
  CHECK_THROWS_WITH(with("TOY_node_attributes.txt", "1,2\n3\n"),
                    Contains("TOY_node_attributes.txt:2: expected 2 numbers"));
  CHECK_THROWS_WITH(with("TOY_node_attributes.txt", "1\n2\n3\n4\nnan\n"), Contains("expected a number, got \"nan\""));
  CHECK_THROWS_WITH(with("TOY_edge_labels.txt", "0\n0\n"), Contains("one for each edge"));
  CHECK_THROWS_WITH(with("TOY_A.txt", "1, \xff\n"), Contains("TOY_A.txt:1:4"));
  write_good(files);
  files.write("OTHER_A.txt", "");
  CHECK_THROWS_WITH(io::read_tu_dataset(files.path("")), Contains("holds several sets"));
  CHECK_THROWS_WITH(io::read_tu_dataset(files.path("NONE")), Contains("NONE_graph_indicator.txt: cannot be read"));
  const Files empty;
  CHECK_THROWS_WITH(io::read_tu_dataset(empty.path("")), Contains("holds no file NAME_A.txt"));
}

TEST_CASE("tu datasets have their counts", "[io][tu_dataset][data]") {
  const struct {
    const char* folder;
    std::size_t graphs, nodes, arcs, classes, node_labels, edge_labels;
    int attributes;
  } sets[] = {{"tu-MUTAG", 188, 3371, 7442, 2, 7, 4, 0},        {"tu-PTC_MR", 344, 4915, 10108, 2, 18, 4, 0},
              {"tu-PROTEINS", 1113, 43471, 162088, 2, 3, 0, 1}, {"tu-ENZYMES", 600, 19580, 74564, 6, 3, 0, 18},
              {"tu-AIDS", 2000, 31385, 64780, 2, 38, 3, 4},     {"tu-Mutagenicity", 4337, 131488, 266894, 2, 14, 3, 0}};
  for (const auto& expected : sets) {
    const auto folder = test::dataset(expected.folder);
    if (!folder) continue;
    CAPTURE(expected.folder);
    const io::TuDataset set = io::read_tu_dataset(*folder);
    CHECK(set.graph_count == expected.graphs);
    CHECK(set.names.size() == expected.nodes);
    CHECK(set.edges.size() == expected.arcs);
    CHECK(set.graph_label_names.size() == expected.classes);
    CHECK(set.node_label_names.size() == expected.node_labels);
    CHECK(set.edge_label_names.size() == expected.edge_labels);
    CHECK(set.node_attributes.cols() == expected.attributes);
    if (expected.graphs == 188) CHECK(std::count(set.graph_labels.begin(), set.graph_labels.end(), 1) == 125);
  }
}
