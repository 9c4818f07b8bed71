#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

namespace {

const std::string kGood = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- <node id="not a node"/> -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="age" attr.type="double"/>
  <key id="d1" for="node" attr.name="code" attr.type="string"><default>00</default></key>
  <key id="d2" for="node" attr.name="buys" attr.type="boolean"/>
  <key id="d3" for="edge" attr.name="weight" attr.type="float"/>
  <key id="d4" for="edge" attr.name="calls" attr.type="int"/>
  <key id="d5" for="edge" attr.name="kind" attr.type="string"/>
  <graph id="G" edgedefault="directed">
    <node id="zoe &amp; co"><data key="d0">36.5</data><data key="d1">07</data><data key="d2">true</data></node>
    <node id='b>"'/>
    <edge source="zoe &amp; co" target='b>"'><data key="d3">0.25</data><data key="d4">3</data></edge>
    <edge id="e1" source='b>"' target="zoe &amp; co"><data key="d4">-1</data><data key="d5">x</data></edge>
  </graph>
</graphml>
)";

}  // namespace

TEST_CASE("graphml keeps ids, order and typed attributes", "[io][graphml]") {
  const Files files;
  for (const std::string& path : {files.write("a.graphml", kGood), files.write_gzip("a.graphml.gz", kGood)}) {
    const auto file = io::read_graphml(path);
    CHECK(file.direction == graph::Direction::directed);
    CHECK(test::edges_of(file.names, file.edges) == "zoe & co>b>\" b>\">zoe & co");
    CHECK(file.nodes.lines == std::vector<std::uint64_t>{11, 12});
    CHECK(file.nodes.at("age").numbers[0] == 36.5f);
    CHECK(file.nodes.at("age").is_missing(1));
    CHECK_FALSE(file.nodes.at("code").is_numeric);
    CHECK(file.nodes.at("code").text(0) == "07");
    CHECK(file.nodes.at("code").text(1) == "00");  // the default value
    CHECK(file.nodes.at("buys").categories == std::vector<std::string>{"true"});
    CHECK(file.edges.weights == std::vector<float>{0.25f, 1.0f});
    CHECK(file.edges.feature_names == std::vector<std::string>{"calls"});
    CHECK(file.edges.features(1, 0) == -1.0f);
    CHECK(file.unused_edge_attributes == std::vector<std::string>{"kind"});
  }
}

TEST_CASE("requested edge attributes become features", "[io][graphml]") {
  const Files files;
  const std::string path = files.write("a.graphml", kGood);
  const auto read = [&](const io::GraphFileOptions& options) { return io::read_graphml(path, options); };
  const auto kinds = read({.edge_features = {"kind", "calls"}, .categorical = {"calls"}});
  CHECK(kinds.edges.feature_names == std::vector<std::string>{"kind = x", "calls = -1", "calls = 3"});
  Matrix expected(2, 3);
  expected << 0, 0, 1,  // the first edge has no kind
      1, 1, 0;
  CHECK(kinds.edges.features == expected);
  CHECK(kinds.edge_features.categories == io::Categories{{"kind", {"x"}}, {"calls", {"-1", "3"}}});
  CHECK(kinds.edges.weights == std::vector<float>{0.25f, 1.0f});
  CHECK(kinds.weight_attribute == "weight");
  CHECK(kinds.unused_edge_attributes.empty());

  const auto known = read({.edge_features = {"kind"}, .categories = {{"kind", {"y", "z"}}}});  // categories of a model
  CHECK(known.edges.features == Matrix::Zero(2, 2));
  CHECK(known.edge_features.unknown_categories == 1);
  CHECK(known.unused_edge_attributes == std::vector<std::string>{"calls"});

  const auto weight = read({.edge_features = {"weight"}, .categorical = {"weight"}});  // so it is not a weight
  CHECK(weight.edges.weights.empty());
  CHECK(weight.weight_attribute.empty());
  CHECK(weight.edges.feature_names == std::vector<std::string>{"weight = 0.25"});

  const auto calls = read({.weight_attribute = "calls"});
  CHECK(calls.weight_attribute == "calls");
  CHECK(calls.edges.weights == std::vector<float>{3.0f, -1.0f});
  CHECK_THROWS_WITH(read({.weight_attribute = "length"}), Contains("a.graphml: no edge has the attribute \"length\""));

  CHECK_THROWS_WITH(read({.edge_features = {"weight"}}),
                    Contains("a.graphml:14: column \"weight\": expected a number, found nothing"));
  CHECK_THROWS_WITH(
      read({.edge_features = {"since"}}),
      Contains("a.graphml: no edge has the attribute \"since\"; edges have \"weight\", \"calls\", \"kind\""));
}

TEST_CASE("graphml keys are for nodes, edges or both, and of a type", "[io][graphml]") {
  const Files files;
  const auto read = [&](const std::string& keys, const std::string& of_node, const std::string& of_edge) {
    const std::string text = "<graphml>" + keys + "<graph edgedefault='directed'>\n<node id='a'>" + of_node +
                             "</node>\n<edge source='a' target='a'>" + of_edge + "</edge></graph></graphml>";
    return io::read_graphml(files.write("a.graphml", text));
  };
  const std::string preset = "<default> 2 </default></key>";
  const auto both = read("<key id='x' attr.name='x'>" + preset + "<key id='y' for='all' attr.name='y'>" + preset, "",
                         "<data key='y'>3</data>");
  CHECK(both.nodes.at("x").numbers == std::vector<float>{2});
  CHECK(both.edges.feature_names == std::vector<std::string>{"x", "y"});
  CHECK(both.edges.features(0, 1) == 3.0f);
  const auto text = read("<key id='x' for='node' attr.name='x' attr.type='string'>" + preset, "", "");
  CHECK(text.nodes.at("x").categories == std::vector<std::string>{" 2 "});
  CHECK(text.edges.feature_names.empty());
  CHECK(read("<key id='x' for='graph' attr.name='x'>" + preset, "", "").nodes.columns.empty());
  CHECK_FALSE(read("<key id='x' for='node' attr.name='x'/>", "<data key='x'>m</data>", "").nodes.at("x").is_numeric);

  const std::string of_edges = "<key id='x' for='edge' attr.name='x'/>";
  CHECK(read(of_edges, "<data key='x'>1</data>", "").nodes.at("x").numbers == std::vector<float>{1});  // Cytoscape
  const std::string of_nodes = "<key id='x' for='node' attr.name='x' attr.type='string'/>";
  CHECK(read(of_nodes, "", "<data key='x'>1</data>").unused_edge_attributes == std::vector<std::string>{"x"});
  const auto own = read(of_nodes + of_edges, "<data key='x'>1</data>", "<data key='x'>1</data>");
  CHECK_FALSE(own.nodes.at("x").is_numeric);
  CHECK(own.edges.feature_names == std::vector<std::string>{"x"});
  CHECK(read("<key id='x' for='node'/>", "<data key='x'>1</data>", "").nodes.at("x").is_numeric);  // without a name
  CHECK_THROWS_WITH(read(of_edges, "", "<data key='y'>1</data>"),
                    Contains("a.graphml:3: unknown key \"y\": no <key> before declares it"));
  CHECK_THROWS_WITH(read(of_edges + of_edges, "", ""), Contains("a.graphml:1: a second <key> \"x\""));
}

TEST_CASE("a graphml edge has a direction of its own", "[io][graphml]") {
  const Files files;
  const auto read = [&](const std::string& by_default, const std::string& edges) {
    return io::read_graphml(files.write(
        "a.graphml", "<graphml><key id='w' for='edge' attr.name='w' attr.type='int'/><graph edgedefault='" +
                         by_default + "'><node id='a'/><node id='b'/>" + edges + "</graph></graphml>"));
  };
  const std::string two = "<edge source='a' target='b' directed='false'><data key='w'>1</data></edge>"
                          "<edge source='b' target='b' directed='false'><data key='w'>2</data></edge>";
  const auto mixed = read("directed", two + "<edge source='b' target='a'><data key='w'>3</data></edge>");
  CHECK(mixed.direction == graph::Direction::directed);
  CHECK(test::edges_of(mixed.names, mixed.edges) == "a>b b>b b>a b>a");
  CHECK(mixed.edges.features(3, 0) == 1);
  CHECK(mixed.notes.size() == 1);
  const auto undirected = read("directed", two);
  CHECK(undirected.direction == graph::Direction::undirected);
  CHECK(test::edges_of(undirected.names, undirected.edges) == "a>b b>b");
  CHECK(undirected.notes.empty());
  CHECK(read("directed", "").direction == graph::Direction::directed);
}

TEST_CASE("graphml of graph-tool has hexadecimal numbers and lists", "[io][graphml]") {
  const Files files;
  const auto file = io::read_graphml(files.write("a.graphml", R"(<graphml>
<key id="key0" for="node" attr.name="pos" attr.type="vector_double"/>
<key id="key1" for="node" attr.name="x" attr.type="double"/>
<key id="key2" for="node" attr.name="object" attr.type="python_object"/>
<key id="key3" for="edge" attr.name="weight" attr.type="double"/>
<key id="key4" for="node" attr.name="rank" attr.type="short"/>
<graph id="G" edgedefault="undirected" parse.nodeids="canonical">
<node id="n0"><data key="key0">0x1.8p+1, 1</data><data key="key1">-0x1.8p+1</data><data key="key4">1</data></node>
<node id="n1"><data key="key1">nan</data><data key="key2">gAN9</data><data key="key4">2</data></node>
<node id="n2"><data key="key1">-inf</data></node>
<edge id="e0" source="n0" target="n1"><data key="key3">0x1p-2</data></edge>
</graph></graphml>)"));
  CHECK(file.unused_attributes == std::vector<std::string>{"pos", "object"});
  CHECK(file.nodes.at("x").numbers[0] == -3);
  CHECK(file.nodes.at("x").missing == 2);
  CHECK(file.nodes.at("rank").numbers[1] == 2);
  CHECK(file.edges.weights == std::vector<float>{0.25F});
  for (const char* bad : {"0x", "0x-1", "0xg", "0x1p", "--0x1"})
    CHECK_THROWS_AS(io::read_graphml(
                        files.write("a.graphml", std::string("<graphml><key id='x' for='node' attr.name='x' "
                                                             "attr.type='double'/><graph><node id='a'><data key='x'>") +
                                                     bad + "</data></node></graph></graphml>")),
                    DataError);
}

TEST_CASE("graphml of yed has groups and labels", "[io][graphml]") {
  const Files files;
  const auto file = io::read_graphml(files.write("a.graphml", R"(<graphml xmlns:y="http://www.yworks.com/xml/graphml">
<key for="port" id="d0" yfiles.type="portgraphics"/>
<key for="node" id="d6" yfiles.type="nodegraphics"/>
<key for="edge" id="d10" yfiles.type="edgegraphics"/>
<key attr.name="age" attr.type="int" for="node" id="d5"/>
<graph edgedefault="directed" id="G">
<node id="n0" yfiles.foldertype="group">
<graph edgedefault="directed" id="n0:">
<node id="n0::n0"><port name="p"/><data key="d6"><y:ShapeNode><y:Geometry x="1"/><y:NodeLabel a="b"> Alpha
<y:LabelModel/></y:NodeLabel><y:NodeLabel>second</y:NodeLabel></y:ShapeNode></data></node>
<edge id="n0::e0" source="n0::n0" target="n1"><data key="d10"><y:PolyLineEdge><y:EdgeLabel>knows</y:EdgeLabel>
</y:PolyLineEdge></data></edge>
</graph>
<data key="d5">3</data>
<data key="d6"><y:ProxyAutoBoundsNode><y:Realizers><y:GroupNode><y:NodeLabel>Group</y:NodeLabel></y:GroupNode>
</y:Realizers></y:ProxyAutoBoundsNode></data>
</node>
<node id="n1"><data key="d6"><y:ImageNode/></data></node>
</graph></graphml>)"));
  CHECK(test::edges_of(file.names, file.edges) == "n0::n0>n1");
  CHECK(file.names.size() == 3);
  const io::Column& label = file.nodes.at("label");
  CHECK(label.text(0) == "Group");
  CHECK(label.text(1) == "Alpha");
  CHECK(label.is_missing(2));
  CHECK(file.nodes.at("age").numbers[0] == 3);
  CHECK(file.unused_edge_attributes == std::vector<std::string>{"label"});
}

TEST_CASE("graphml booleans are the same in every spelling", "[io][graphml]") {
  const Files files;
  const auto read = [&](std::string_view value, std::string_view preset = "") {
    return io::read_graphml(files.write(
        "b.graphml", fmt::format("<graphml><key id='v' for='node' attr.name='vip' attr.type='boolean'>{}</key>\n"
                                 "<graph edgedefault='directed'><node id='a'>\n<data key='v'>{}</data></node>"
                                 "<node id='b'/></graph></graphml>",
                                 preset, value)));
  };
  for (const char* value : {"true", "True", "TRUE", " 1\n", "1"}) {
    CHECK(read(value).nodes.at("vip").categories == std::vector<std::string>{"true"});
    CHECK(read(value, "<default>False</default>").nodes.at("vip").text(1) == "false");
  }
  CHECK(read("0").nodes.at("vip").text(0) == "false");
  CHECK(read("").nodes.at("vip").is_missing(0));
  for (const char* value : {"yes", "2", "t", "truth"})
    CHECK_THROWS_WITH(read(value), Contains("b.graphml:3: attribute \"vip\": expected a boolean, true or false, got"));
  CHECK_THROWS_WITH(read("1", "<default>maybe</default>"), Contains("b.graphml:1: attribute \"vip\""));
}

TEST_CASE("graphml strings keep their blanks", "[io][graphml]") {
  const Files files;
  const auto file = io::read_graphml(files.write(
      "s.graphml",
      "<graphml><key id='s' for='node' attr.name='s' attr.type='string'/><key id='n' for='node' attr.name='n' "
      "attr.type='int'/><key id='u' for='node' attr.name='u'/><key id='w' for='node' attr.name='w'/>"
      "<graph edgedefault='directed'><node id=' a '><data key='s'> x</data><data key='n'> 5\n</data>"
      "<data key='u'> 7 </data><data key='w'> w </data></node><node id='b'><data key='s'>x&#10;]]&gt; </data>"
      "<data key='w'>\n  </data></node></graph></graphml>"));
  CHECK(file.names[0] == " a ");
  CHECK(file.nodes.at("s").text(0) == " x");
  CHECK(file.nodes.at("s").text(1) == "x\n]]> ");
  CHECK(file.nodes.at("n").numbers[0] == 5);
  CHECK(file.nodes.at("u").numbers[0] == 7);
  CHECK(file.nodes.at("w").text(0) == " w ");
  CHECK(file.nodes.at("w").is_missing(1));
}

TEST_CASE("graphml with as many keys as nodes is read", "[io][graphml]") {
  constexpr int kCount = 400'000;  // it would take hours to go through all keys for each node
  const Files files;
  std::string keys, nodes;
  for (int i = 0; i < kCount; ++i) {
    keys += fmt::format("<key id='d{0}' for='node' attr.name='x{0}'/>", i);
    nodes += fmt::format("<node id='{}'/>", i);
  }
  const std::string path =
      files.write("a.graphml", "<graphml>" + keys + "<graph edgedefault='directed'>" + nodes + "</graph></graphml>");
  CHECK(io::read_graphml(path).names.size() == kCount);
}

TEST_CASE("a graphml label is an attribute unless it repeats the names", "[io][graphml]") {
  const Files files;
  const auto has_label = [&](const std::string& second, const std::string& type) {
    const std::string text = "<graphml><key id='l' for='node' attr.name='label' attr.type='" + type +
                             "'/><graph edgedefault='directed'><node id='1'><data key='l'>1</data></node>"
                             "<node id='2'>" + second + "</node></graph></graphml>";
    return io::read_graphml(files.write("a.graphml", text)).nodes.find("label") != nullptr;
  };
  CHECK_FALSE(has_label("<data key='l'>2</data>", "string"));
  CHECK(has_label("<data key='l'>3</data>", "string"));
  CHECK(has_label("", "string"));
  CHECK(has_label("<data key='l'>2</data>", "int"));
}

TEST_CASE("graphml refuses hostile files", "[io][graphml]") {
  const Files files;
  const auto read = [&](std::string text) { return io::read_graphml(files.write("bad.graphml", text)); };
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string text = kGood;
    text.replace(text.find(old), old.size(), now);
    return text;
  };
  const std::string second = "<node id='b>\"'/>";
  CHECK_THROWS_WITH(read(with(second, "<node id='zoe &amp; co'/>")),
                    Contains("bad.graphml:12: node \"zoe & co\" appears"));
  CHECK_THROWS_WITH(read(with(second, "")), Contains("bad.graphml:13: unknown node"));
  CHECK_THROWS_WITH(read(with(second, "<node/>" + second)),
                    Contains("bad.graphml:12: <node> lacks its attribute \"id\""));
  CHECK_THROWS_WITH(read(with("36.5", "old")),
                    Contains("bad.graphml:11: column \"age\": expected a number, got \"old\""));
  CHECK_THROWS_WITH(read(with("<edge id", "<hyperedge/><edge id")), Contains("bad.graphml:14: a hyperedge"));
  CHECK_THROWS_WITH(read(with("</edge>", "<graph/></edge>")), Contains("bad.graphml:13: a graph within an edge"));
  CHECK_THROWS_WITH(read(with("</graph>", "</graph><graph edgedefault='directed'/>")), Contains("a second graph"));
  CHECK_THROWS_AS(read(with("</graph>", "")), DataError);
  CHECK_THROWS_AS(read(with("</graphml>", "<x")), DataError);
  CHECK_THROWS_AS(read(kGood.substr(0, kGood.size() / 2)), DataError);
  for (const char* text : {"", "hello", "<graphml/>", "<graph edgedefault='directed'/>", "<a><b></a></b>", "<!--"})
    CHECK_THROWS_AS(read(text), DataError);
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  CHECK_THROWS_WITH(read(deep), Contains("nested deeper"));
  CHECK_THROWS_AS(io::read_graphml(files.path("missing.graphml")), DataError);
  CHECK_THROWS_AS(io::read_graphml(files.path("")), DataError);
}

TEST_CASE("graphml errors give the line, and entities are refused", "[io][graphml]") {
  const Files files;
  const auto read = [&](std::string_view text) { return io::read_graphml(files.write("bad.graphml", text)); };
  CHECK_THROWS_WITH(read("<graphml>\n<graph edgedefault='directed'>\n<node id='a'></edge>"),
                    Contains("bad.graphml:3: not valid XML"));
  CHECK_THROWS_WITH(read("<!DOCTYPE a [\n<!ENTITY b 'c'>]>\n<graphml/>"),
                    Contains("bad.graphml:2: not valid XML: entities"));
  CHECK_THROWS_WITH(read("<graphml>\n<graph edgedefault='directed'>\n<node id='&b;'/></graph></graphml>"),
                    Contains("bad.graphml:3:"));
}
