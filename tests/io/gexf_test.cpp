#include "edgewise/io/graph_formats.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

namespace {

const std::string kGexf = R"(<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">
<meta><creator>Gephi 0.10</creator></meta>
<graph defaultedgetype="undirected" mode="static">
<attributes class="node" mode="static">
<attribute id="modularity" title="Modularity Class" type="integer"><default>0</default></attribute>
<attribute id="1" title="tags" type="liststring"/>
</attributes>
<attributes class="edge"><attribute id="1" title="since" type="long"/></attributes>
<nodes>
<node id="0" label="Ada"><attvalues><attvalue for="modularity" value="3"/><attvalue for="1" value="a|b"/></attvalues>
<viz:size value="10.0"/><viz:color r="1" g="2" b="3"/></node>
<node id="1" label="Bob"><nodes><node id="2" label="Cid"/></nodes></node>
</nodes>
<edges>
<edge id="0" source="0" target="1" weight="2.5"><attvalues><attvalue for="1" value="1999"/></attvalues></edge>
<edge source="2" target="1"><attvalues><attvalue for="1" value="2001"/></attvalues></edge>
</edges>
</graph>
</gexf>
)";

std::string with(const std::string& old, const std::string& now) {
  std::string text = kGexf;
  text.replace(text.find(old), old.size(), now);
  return text;
}

}  // namespace

TEST_CASE("gexf as gephi writes it", "[io][gexf]") {
  const Files files;
  for (const std::string& path : {files.write("a.gexf", kGexf), files.write_gzip("a.gexf.gz", kGexf)}) {
    const auto file = io::read_gexf(path);
    CHECK(file.direction == graph::Direction::undirected);
    CHECK(test::edges_of(file.names, file.edges) == "0>1 2>1");
    CHECK(file.nodes.at("Modularity Class").numbers == std::vector<float>{3, 0, 0});
    CHECK(file.nodes.at("label").text(2) == "Cid");
    CHECK(file.edges.weights == std::vector<float>{2.5F, 1});
    CHECK(file.edges.feature_names == std::vector<std::string>{"since"});
    CHECK(file.unused_attributes == std::vector<std::string>{"tags"});
    CHECK(file.notes.empty());
  }
}

TEST_CASE("a gexf edge has a direction of its own", "[io][gexf]") {
  const Files files;
  const auto file = io::read_gexf(files.write("a.gexf", with("<edge id=\"0\"", "<edge type=\"directed\"")));
  CHECK(file.direction == graph::Direction::directed);
  CHECK(test::edges_of(file.names, file.edges) == "0>1 2>1 1>2");
  CHECK(file.edges.weights == std::vector<float>{2.5F, 1, 1});
  CHECK(file.edges.features(2, 0) == 2001);
  REQUIRE(file.notes.size() == 1);
  CHECK_THAT(file.notes[0], Contains("1 of 2 edges are undirected"));
}

TEST_CASE("a gexf graph that changes over time is read as one", "[io][gexf]") {
  const Files files;
  const auto file = io::read_gexf(files.write(
      "a.gexf",
      with("<attvalue for=\"modularity\" value=\"3\"/>",
           "<attvalue for=\"modularity\" value=\"3\" end=\"1\"/><attvalue for=\"modularity\" value=\"4\"/>")));
  CHECK(file.nodes.at("Modularity Class").numbers[0] == 4);
  REQUIRE(file.notes.size() == 1);
  CHECK_THAT(file.notes[0], Contains("changes over time"));
}

TEST_CASE("gexf refuses hostile files", "[io][gexf]") {
  const Files files;
  const auto read = [&](const std::string& text) { return io::read_gexf(files.write("bad.gexf", text)); };
  CHECK_THROWS_WITH(read(with("target=\"1\" weight", "target=\"9\" weight")),
                    Contains("bad.gexf:16: unknown node \"9\""));
  CHECK_THROWS_WITH(read(with("id=\"2\"", "id=\"0\"")), Contains("bad.gexf:13: node \"0\" appears here a second time"));
  CHECK_THROWS_WITH(read(with("value=\"3\"", "value=\"three\"")),
                    Contains("bad.gexf:11: column \"Modularity Class\": expected a number, got \"three\""));
  CHECK_THROWS_WITH(read(with("for=\"modularity\"", "for=\"m\"")),
                    Contains("bad.gexf:11: unknown attribute \"m\": no <attribute> before declares it for nodes"));
  CHECK_THROWS_WITH(read(with("<edge id", "<edge type=\"sideways\" id")),
                    Contains("bad.gexf:16: expected an edge of type"));
  CHECK_THROWS_WITH(read(with("</graph>", "</graph><graph/>")), Contains("a second graph"));
  CHECK_THROWS_WITH(read(with("weight=\"2.5\"", "weight=\"heavy\"")), Contains("bad.gexf:16:"));
  for (const char* text : {"", "x", "<gexf/>", "<graph/>", "<gexf><graph><nodes><node/></nodes></graph></gexf>",
                           "<gexf><graph><edges><edge source='a'/></edges></graph></gexf>",
                           "<gexf><graph><attributes><attribute/></attributes></graph></gexf>",
                           "<gexf><graph><attributes><default/></attributes></graph>"})
    CHECK_THROWS_AS(read(text), DataError);
  CHECK(read("<gexf><graph/></gexf>").names.size() == 0);
  CHECK_THROWS_AS(read(kGexf.substr(0, kGexf.size() / 2)), DataError);
  CHECK_THROWS_AS(io::read_gexf(files.path("missing.gexf")), DataError);
}
