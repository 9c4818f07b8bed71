#include "edgewise/io/graph_file.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"
#include "support/seconds_of.hpp"

using namespace edgewise;
using test::Files;

TEST_CASE("graph files are read by their extension", "[io][graph_file]") {
  const Files files;
  const std::string gml = "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]";
  const std::string dot = "graph { 1 -- 2 }";
  const std::string json = R"({"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2}]})";
  const std::string graphml =
      "<graphml><graph edgedefault='undirected'><node id='1'/><node id='2'/><edge source='1' "
      "target='2'/></graph></graphml>";
  const std::pair<std::string, std::string> all[] = {
      {"a.gml", gml}, {"a.dot", dot}, {"a.gv", dot}, {"a.json", json}, {"a.graphml", graphml}};
  for (const auto& [name, text] : all) {
    CAPTURE(name);
    for (const std::string& path : {files.write(name, text), files.write_gzip(name + ".gz", text)}) {
      const auto file = io::read_graph_file(path);
      CHECK(test::edges_of(file.names, file.edges) == "1>2");
      CHECK(file.nodes.names.size() == 2);
      CHECK(file.nodes.columns.empty());
      const graph::Graph graph(file.names, file.edges, {.direction = file.direction});
      CHECK(graph.arc_count() == 2);
    }
  }
  CHECK_THROWS_AS(io::read_graph_file(files.write("a.net", gml)), UsageError);
}

TEST_CASE("numbers that are categories of nodes keep their digits", "[io][graph_file]") {
  const Files files;
  const std::string path = files.write("a.dot", "graph { 1 [zip=02134]; 2 [zip=10001]; 1 -- 2 }");
  CHECK(io::read_graph_file(path).nodes.at("zip").is_numeric);
  const auto file = io::read_graph_file(path, {.texts_of_nodes = {{"zip", "other"}}});
  CHECK(file.nodes.at("zip").categories == std::vector<std::string>{"02134", "10001"});
}

TEST_CASE("the time for features of edges is proportional to their number", "[io][graph_file]") {
  const Files files;
  std::string edge = "edge [ source 1 target 1";
  for (int i = 0; i < 200'000; ++i) edge += fmt::format(" attribute{} 1", i);
  const std::string path = files.write("a.gml", "graph [ node [ id 1 ] " + edge + " ] ]");
  CHECK(test::seconds_of([&] { CHECK(io::read_graph_file(path).edges.features.cols() == 200'000); }) < 10);
}
