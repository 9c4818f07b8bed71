#include "edgewise/io/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "edgewise/core/json.hpp"
#include "io/files.hpp"
#include "io/graphs.hpp"

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
  CHECK_THROWS_AS(io::read_graph_file(files.write("a.dat", gml)), UsageError);
  CHECK_THROWS_AS(io::read_graph_file(files.path("missing.dat")), DataError);
  CHECK_THROWS_AS(io::read_graph_file(files.path("")), DataError);
}

TEST_CASE("graph files are known by their extension or their content", "[io][graph_file]") {
  const Files files;
  for (const char* name : {"a.graphml", "a.gexf", "a.gml", "a.dot", "a.gv", "a.json", "a.cyjs", "a.mtx", "a.net",
                           "a.paj", "a.sif", "a.lgl", "a.ncol", "a.adjlist", "a.graph", "a.metis", "a.MTX", "a.sif.gz"})
    CHECK(io::is_graph_file(name));
  const std::pair<const char*, const char*> all[] = {
      {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "2>1"},
      {"*Vertices 2\n*Edges\n1 2\n", "1>2"},
      {"\xef\xbb\xbf<?xml version='1.0'?><graphml><graph edgedefault='directed'><node id='1'/></graph></graphml>", ""},
      {"<gexf><graph/></gexf>", ""},
      {"_id,_labels,_start,_end,_type\n1,:A,,,\n,,1,1,T\n", "1>1"},
      {"SUID,interaction,name\n1,pp,a (pp) b\n", "a>b"},
      {"# comment\n#\na b {'weight': 1}\n", "a>b"}};
  for (const auto& [text, edges] : all) {
    CAPTURE(text);
    for (const std::string& path : {files.write("a.txt", text), files.write_gzip("a.gz", text)}) {
      REQUIRE(io::is_graph_file(path));
      const auto file = io::read_graph_file(path);
      CHECK(test::edges_of(file.names, file.edges) == edges);
    }
  }
  for (const char* text : {"", "source,target\na,b\n", "a b\n", "% 3 2\n1 2\n",
                           "source,target,interaction,name\na,b,pp,x\n", "source_id,target_id\na,b\n", "<html></html>"})
    CHECK_FALSE(io::is_graph_file(files.write("a.csv", text)));
  CHECK_FALSE(io::is_graph_file(files.path("missing.csv")));
  CHECK_FALSE(io::is_graph_file(files.path("")));
}

namespace {

std::string folder() { return EDGEWISE_SOURCE_DIR "/tests/golden/graphs/"; }

std::string shown(const json::Value& value) {
  if (value.is_number()) return fmt::format("{}", static_cast<float>(value.as_number()));
  return '\'' + value.as_string() + '\'';
}

/// "age=3 city='Rome'", in the order of the names, without what is missing.
std::string shown(const std::map<std::string, std::string>& values) {
  std::string text;
  for (const auto& [name, value] : values) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

/// The ends of an undirected edge in order.
void order_ends(std::map<std::string, std::string>& edge, bool is_directed) {
  if (!is_directed && edge["target"] < edge["source"]) std::swap(edge["source"], edge["target"]);
}

std::vector<std::string> expected_rows(const json::Value& rows, bool is_directed, std::set<std::string>& columns) {
  std::vector<std::string> texts;
  for (const json::Value& row : rows.as_array()) {
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : row.as_object()) {
      columns.insert(name);
      if (!value.is_null()) values[name] = shown(value);
    }
    order_ends(values, is_directed || row.find("source") == nullptr);
    texts.push_back(shown(values));
  }
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> found_nodes(const io::GraphFile& file) {
  std::vector<std::string> texts;
  for (graph::Node node = 0; node < file.names.size(); ++node) {
    std::map<std::string, std::string> values = {{"", '\'' + std::string(file.names[node]) + '\''}};
    for (const io::Column& column : file.nodes.columns)
      if (!column.is_missing(node))
        values[column.name] =
            column.is_numeric ? fmt::format("{}", column.numbers[node]) : '\'' + column.text(node) + '\'';
    texts.push_back(shown(values));
  }
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> found_edges(const io::GraphFile& file) {
  std::vector<std::string> texts;
  const graph::EdgeList& edges = file.edges;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    std::map<std::string, std::string> values = {
        {"source", '\'' + std::string(file.names[edges.sources[e]]) + '\''},
        {"target", '\'' + std::string(file.names[edges.targets[e]]) + '\''},
        {"weight", fmt::format("{}", edges.weights.empty() ? 1.0F : edges.weights[e])}};
    for (std::size_t i = 0; i < edges.feature_names.size(); ++i) {
      const std::string& name = edges.feature_names[i];
      const float value = edges.features(static_cast<Eigen::Index>(e), static_cast<Eigen::Index>(i));
      const std::size_t category = name.find(" = ");
      if (category == std::string::npos)
        values[name] = fmt::format("{}", value);
      else if (value == 1)
        values[name.substr(0, category)] = '\'' + name.substr(category + 3) + '\'';
    }
    order_ends(values, file.direction == graph::Direction::directed);
    texts.push_back(shown(values));
  }
  std::ranges::sort(texts);
  return texts;
}

}  // namespace

TEST_CASE("graphs are read as networkx, igraph and scipy wrote them", "[io][graph_file][golden]") {
  const json::Value all = json::parse_file(folder() + "expected.json");
  CHECK(all.as_object().size() > 50);
  for (const auto& [name, graph] : all.as_object()) {
    CAPTURE(name);
    const bool is_directed = graph.at("directed").as_bool();
    std::set<std::string> of_nodes, of_edges;
    const std::vector<std::string> nodes = expected_rows(graph.at("nodes"), true, of_nodes);
    const std::vector<std::string> edges = expected_rows(graph.at("edges"), is_directed, of_edges);
    for (const char* structural : {"source", "target", "weight"}) of_edges.erase(structural);
    // "None" is a name there.
    const auto file = io::read_graph_file(folder() + name,
                                          {.edge_features = {of_edges.begin(), of_edges.end()}, .missing = {""}});
    CHECK((file.direction == graph::Direction::directed) == is_directed);
    CHECK(found_nodes(file) == nodes);
    CHECK(found_edges(file) == edges);
    CHECK(file.notes.empty());
    for (const io::Column& column : file.nodes.columns) CHECK(of_nodes.contains(column.name));
  }
}

TEST_CASE("numbers that are categories of nodes keep their digits", "[io][graph_file]") {
  const Files files;
  const std::string path = files.write("a.dot", "graph { 1 [zip=02134]; 2 [zip=10001]; 1 -- 2 }");
  CHECK(io::read_graph_file(path).nodes.at("zip").is_numeric);
  const auto file = io::read_graph_file(path, {.texts_of_nodes = {{"zip", "other"}}});
  CHECK(file.nodes.at("zip").categories == std::vector<std::string>{"02134", "10001"});
}

TEST_CASE("many features of edges are read", "[io][graph_file]") {
  constexpr int kCount = 400'000;  // it would take hours to search all features for each
  const Files files;
  std::string edge = "edge [ source 1 target 1";
  for (int i = 0; i < kCount; ++i) edge += fmt::format(" attribute{} 1", i);
  const std::string path = files.write("a.gml", "graph [ node [ id 1 ] " + edge + " ] ]");
  CHECK(io::read_graph_file(path).edges.features.cols() == kCount);
}

TEST_CASE("graph files without an ending are known by their contents", "[io][graph_file]") {
  const test::Files files;
  const auto nodes = [&](const char* text) {
    return io::read_graph_file(files.write("63", text)).names.size();
  };
  CHECK(nodes("graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]\n") == 2);
  CHECK(nodes("graph { a -- b }\n") == 2);
  CHECK(nodes("digraph x { a -> b; b -> c }\n") == 3);
  CHECK(nodes(R"({"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]})") == 2);
  CHECK_FALSE(io::is_graph_file(files.write("64", "graph other\na b\n")));
  CHECK_FALSE(io::is_graph_file(files.write("65.txt", "digraph x { a -> b }\n")));
}
