#include "edgewise/io/attention.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/graph_file.hpp"
#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using test::Files;

namespace {

graph::NodeNames people() {
  graph::NodeNames names;
  for (const char* name : {"ada", "B & \"co\"\\ltd", "unseen", "<cid>"}) names.add(name);
  return names;
}

/// Three rows; layer 1 has two heads, layer 2 has one.
io::AttentionTable attention() {
  io::AttentionTable result;
  result.sources = {0, 3, 1};
  result.targets = {1, 1, 1};
  result.edges = {4, 0, graph::kAddedSelfLoop};
  result.layers.resize(2);
  result.layers[0].resize(3, 2);
  result.layers[0] << 0.5f, 0.25f, 0.25f, 0.25f, 0.25f, 0.5f;
  result.layers[1].resize(3, 1);
  result.layers[1] << 0.75f, 0.25f, 0.0f;
  return result;
}

}  // namespace

TEST_CASE("attention as csv and json lines", "[io][attention]") {
  const Files files;
  io::write_attention(files.path("a.csv.gz"), people(), attention());
  const auto back = io::read_edge_list(files.path("a.csv.gz"), {.feature_columns = {"layer", "head"}});
  REQUIRE(back.edges.size() == 9);
  CHECK(back.edges.weights == std::vector<float>{0.5f, 0.25f, 0.75f, 0.25f, 0.25f, 0.25f, 0.25f, 0.5f, 0.0f});
  CHECK(back.edges.features(2, 0) == 2.0f);
  CHECK(back.names[back.edges.targets[0]] == "B & \"co\"\\ltd");
  io::write_attention(files.path("a.csv"), people(), attention());
  CHECK(test::slurp(files.path("a.csv")).find("ada,\"B & \"\"co\"\"\\ltd\",5,1,1,0.5\n") != std::string::npos);
  CHECK(test::slurp(files.path("a.csv")).find(",,2,1,0\n") != std::string::npos);

  io::write_attention(files.path("a.jsonl"), people(), attention());
  std::istringstream lines(test::slurp(files.path("a.jsonl")));
  std::vector<json::Value> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(json::parse(line, "line"));
  REQUIRE(rows.size() == 9);
  CHECK(json::dump(rows[3]) ==
        R"({"source":"<cid>","target":"B & \"co\"\\ltd","edge":1,"layer":1,"head":1,"weight":0.25})");
  CHECK(rows[8].at("edge").is_null());
}

TEST_CASE("attention as graphml and dot can be read back", "[io][attention]") {
  const Files files;
  for (const char* name : {"a.graphml", "a.graphml.gz", "a.dot", "a.gml"}) {
    CAPTURE(name);
    io::write_attention(files.path(name), people(), attention());
    const io::GraphFile file = io::read_graph_file(files.path(name));
    CHECK(file.direction == graph::Direction::directed);
    CHECK(file.names.size() == 3);  // "unseen" is in none of the rows
    REQUIRE(file.edges.size() == 3);
    CHECK(file.edges.weights == std::vector<float>{0.5f, 0.25f, 0.25f});
    CHECK(file.names[file.edges.sources[1]] == "<cid>");
    CHECK(file.names.find("ada").has_value());
    CHECK(file.names.find("B & \"co\"\\ltd").has_value());
  }
  io::write_attention(files.path("a.graphml"), people(), attention());
  const io::GraphFile file = io::read_graph_file(files.path("a.graphml"));
  CHECK(test::edges_of(file.names, file.edges) ==
        "ada>B & \"co\"\\ltd <cid>>B & \"co\"\\ltd B & \"co\"\\ltd>B & \"co\"\\ltd");
  CHECK(file.edges.feature_names == std::vector<std::string>{"layer_1_head_1", "layer_1_head_2", "layer_2_head_1"});
  CHECK(file.edges.features(0, 2) == 0.75f);
  CHECK(file.unused_edge_attributes == std::vector<std::string>{"edge"});  // the self loop has none
  CHECK(file.nodes.find("label") == nullptr);  // repeats the names
  CHECK(test::slurp(files.path("a.graphml")).find("<data key=\"label\">ada</data>") != std::string::npos);
  io::write_attention(files.path("a.dot"), people(), attention());
  CHECK(test::slurp(files.path("a.dot")).find("weight=0.25, penwidth=2.500") != std::string::npos);
}

TEST_CASE("attention may have no rows, and invalid attention is refused", "[io][attention]") {
  const Files files;
  for (const char* name : {"e.csv", "e.jsonl", "e.graphml", "e.dot"})
    io::write_attention(files.path(name), people(), {});
  CHECK(test::slurp(files.path("e.csv")) == "source,target,edge,layer,head,weight\n");
  CHECK(io::read_graph_file(files.path("e.graphml")).edges.size() == 0);
  io::AttentionTable bad = attention();
  bad.layers[1].resize(2, 1);
  CHECK_THROWS_AS(io::write_attention(files.path("b.csv"), people(), bad), UsageError);
  bad = attention();
  bad.sources[0] = 9;
  CHECK_THROWS_AS(io::write_attention(files.path("b.csv"), people(), bad), UsageError);
  CHECK_THROWS_AS(io::write_attention(files.path("b.xlsx"), people(), attention()), UsageError);
}
