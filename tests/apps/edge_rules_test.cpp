#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::check_one_line;
using test::Result;
using test::Sandbox;

namespace {

/// Edges among the people, each pair once but for `copies(number)`: the values of its rows.
template <class Copies>
std::string ring(const std::string& columns, Copies copies) {
  constexpr int kPeople = 80;
  std::string text = "source,target," + columns + "\n";
  for (int i = 0; i < 2 * kPeople; ++i)
    for (const std::string& values : copies(i))
      text += fmt::format("p{},p{},{}\n", i / 2, (i / 2 + 1 + i % 2) % kPeople, values);
  return text;
}

const std::string kJob = "--nodes people.csv --label buys --hidden 8 --heads 2 --threads 1 --epochs 5 --seed 3 ";

}  // namespace

TEST_CASE("files that are no edge list are refused with the line", "[apps][edge_rules]") {
  const Sandbox sandbox;
  sandbox.write("t.nt", "<http://a/1> <http://a/knows> <http://a/2> .\n<http://a/2> <http://a/knows> <http://a/3> .\n");
  sandbox.write("d.txt", "graph friends {\n  a -- b;\n  b -- c;\n}\n");
  for (const std::string verb : {"inspect", "train --label x --nodes people.csv"})
    for (const std::string file : {"t.nt", "d.txt"}) {
      const Result result = sandbox.run(verb + " --edges " + file);
      CHECK(result.code == 3);
      check_one_line(result);
      CHECK_THAT(result.error, Contains(file + ":1: "));
    }
  sandbox.write("b.csv", "hub,a\nhub,b\nhub,c\nhub,d\nhub,e\n");
  const Result doubted = sandbox.run("inspect --edges b.csv");
  CHECK(doubted.code == 0);
  CHECK_THAT(doubted.out, Contains("b.csv: \"column 1\" is \"hub\" in every row") && !Contains("nothing looks wrong"));
}

TEST_CASE("dropped duplicates with other weights are noted", "[apps][edge_rules]") {
  const Sandbox sandbox;
  sandbox.write("e.csv", "source,target,weight\np0,p1,1\np0,p1,5\np1,p0,7\np1,p2,2\np2,p3,1\np3,p2,1\n");
  const std::string note =
      "e.csv: 1 pair of nodes is repeated with different weights, first \"p0\" and \"p1\" (line 2 and line 3)";
  CHECK_THAT(sandbox.run("inspect --edges e.csv").out, Contains(note));
  CHECK_THAT(sandbox.run("train --edges e.csv --nodes people.csv --label buys --epochs 1 --model gcn").error,
             Contains(note));
  for (const char* rule : {"keep_all", "sum", "mean"})
    CHECK_THAT(sandbox.run(std::string("inspect --edges e.csv --duplicates ") + rule).out,
               !Contains("is repeated with"));
  sandbox.write("same.csv", "source,target,weight\np0,p1,1\np1,p0,1\np1,p2,2\n");
  CHECK_THAT(sandbox.run("inspect --edges same.csv").out, !Contains("repeated with"));
  sandbox.write("g.graphml",
                "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
                "<graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"b\"/>\n"
                "<edge source=\"a\" target=\"b\"><data key=\"w\">1</data></edge>\n"
                "<edge source=\"b\" target=\"a\"><data key=\"w\">4</data></edge></graph></graphml>\n");
  CHECK_THAT(sandbox.run("inspect --graph g.graphml").out, Contains("(line 3 and line 4)"));
  CHECK_THAT(sandbox.run("inspect --graph g.graphml --duplicates sum").out, Contains("weights: 5 to 5"));
  CHECK_THAT(sandbox.run("inspect --graph g.graphml --duplicates refuse").error, Contains("g.graphml: line 4: edge 2"));
  sandbox.write("g.json", R"({"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1, "weight": 2},
                              {"source": 1, "target": 0, "weight": 3}]})");
  CHECK_THAT(sandbox.run("inspect --graph g.json").out, Contains("(links[0] and links[1])"));
}

TEST_CASE("combined duplicates are the edges that they add up to, in training and prediction", "[apps][edge_rules]") {
  const Sandbox sandbox;
  using List = std::vector<std::string>;
  sandbox.write("rows.csv", ring("weight,years,kind", [](int row) {
                  return row % 2 == 0 ? List{"2,8,x"} : List{"1,2,y", "4,5,x", "7,2,y"};
                }));
  const auto write_single = [&](const std::string& odd) {
    sandbox.write("single.csv", ring("weight,years,kind",
                                     [&](int row) { return row % 2 == 0 ? List{"2,8,x"} : List{odd}; }));
  };
  for (const auto& [rule, odd] : {std::pair("sum", "12,9,y"), {"mean", "4,3,y"}, {"max", "7,5,y"}, {"min", "1,2,y"}}) {
    INFO(rule);
    write_single(odd);
    const std::string features = "--edge-features years,kind --model gatv2 --duplicates ";
    REQUIRE(sandbox.run("train --edges rows.csv " + kJob + features + rule + " --predictions a.csv --out a.safetensors")
                .code == 0);
    REQUIRE(sandbox.run("train --edges single.csv " + kJob + features + "keep_first --predictions b.csv").code == 0);
    CHECK(sandbox.read("a.csv") == sandbox.read("b.csv"));
    REQUIRE(sandbox.run("predict a.safetensors --edges rows.csv --nodes people.csv --out c.csv").code == 0);
    REQUIRE(sandbox.run("predict a.safetensors --edges single.csv --nodes people.csv --out d.csv").code == 0);
    CHECK(sandbox.read("c.csv") == sandbox.read("d.csv"));
  }
}

TEST_CASE("the number of rows is the weight of an edge", "[apps][edge_rules]") {
  const Sandbox sandbox;
  sandbox.write("calls.csv", "caller,callee\np0,p1\np1,p0\np0,p1\np1,p2\n");
  for (const char* rule : {"sum", "count"})
    CHECK_THAT(sandbox.run(std::string("inspect --edges calls.csv --duplicates ") + rule).out,
               Contains("weights: 1 to 3"));
  CHECK_THAT(sandbox.run("inspect --edges calls.csv --duplicates sum --directed").out, Contains("weights: 1 to 2"));
  CHECK_THAT(sandbox.run("inspect --edges calls.csv --duplicates mean").out, !Contains("weights:"));
  CHECK(sandbox.run("inspect --edges calls.csv --duplicates total").code == 2);
}

TEST_CASE("edges to unknown nodes are refused, dropped or bring the nodes", "[apps][edge_rules]") {
  const Sandbox sandbox;
  std::string edges = sandbox.read("friends.csv");
  const std::string known = edges;
  edges.insert(edges.find('\n') + 1, "zoe,p1,1\nzoe,yan,1\n");
  sandbox.write("more.csv", edges + "p2,zoe,1\n");
  const std::string files = "--edges more.csv --nodes people.csv --label buys --threads 1 --epochs 5 --model sage ";
  const Result refused = sandbox.run("train " + files);
  CHECK(refused.code == 3);
  CHECK_THAT(refused.error,
             Contains("more.csv:2: ") && Contains("unknown node \"zoe\"") && Contains("--unknown-nodes drop"));

  const Result dropped = sandbox.run("train " + files + "--unknown-nodes drop --predictions a.csv");
  CHECK(dropped.code == 0);
  CHECK_THAT(dropped.error,
             Contains("leaves out 3 edges to 2 nodes that are not in people.csv, the first \"zoe\" in line 2"));
  const std::string without = "--edges friends.csv --nodes people.csv --label buys --threads 1 --epochs 5 ";
  REQUIRE(sandbox.run("train " + without + "--model sage --predictions b.csv").code == 0);
  CHECK(sandbox.read("a.csv") == sandbox.read("b.csv"));

  const Result added = sandbox.run("train " + files + "--unknown-nodes add --out m.safetensors --predictions c.csv");
  CHECK(added.code == 0);
  CHECK_THAT(added.error, Contains("more.csv: adds 2 nodes that are not in people.csv, the first \"zoe\" in line 2"));
  CHECK_THAT(sandbox.read("c.csv"), Contains("\nzoe,") && Contains("\nyan,"));
  const std::string predict = "predict m.safetensors --edges more.csv --nodes people.csv ";
  REQUIRE(sandbox.run(predict + "--out d.csv").code == 0);  // as in training
  CHECK_THAT(sandbox.read("d.csv"), Contains("\nzoe,"));
  CHECK(sandbox.run(predict + "--unknown-nodes refuse --out e.csv").code == 3);
  CHECK(sandbox.run("inspect --edges more.csv --unknown-nodes add").code == 2);
}

TEST_CASE("edges of a graph file to nodes that a table does not list", "[apps][edge_rules]") {
  const Sandbox sandbox;
  sandbox.write("g.gml",
                "graph [\nnode [ id 0 ]\nnode [ id 1 ]\nnode [ id 7 ]\nedge [ source 0 target 1 weight 2 ]\n"
                "edge [ source 1 target 7 weight 3 ]\n]\n");
  sandbox.write("n.csv", "id,x\n0,1\n1,2\n7.0,3\n");
  const Result refused = sandbox.run("inspect --graph g.gml --nodes n.csv");
  CHECK(refused.code == 3);
  CHECK_THAT(refused.error, Contains("g.gml:4: the node \"7\" is not in n.csv") && Contains("there is a node \"7.0\""));
  const Result dropped = sandbox.run("inspect --graph g.gml --nodes n.csv --unknown-nodes drop");
  CHECK_THAT(dropped.out, Contains("3 nodes, 1 edge ") && Contains("weights: 2 to 2") &&
                              Contains("leaves out 1 edge to 1 node that is not in n.csv, the first \"7\" in line 4"));
  const Result added = sandbox.run("inspect --graph g.gml --nodes n.csv --unknown-nodes add");
  CHECK_THAT(added.out, Contains("4 nodes, 2 edges ") && Contains("adds 1 node"));
}

TEST_CASE("an attribute may name the nodes of a graph file", "[apps][edge_rules]") {
  const Sandbox sandbox;
  const auto gml = [&](const std::string& second) {
    sandbox.write("g.gml", "graph [\nnode [ id 0 name \"ada\" x 1 ]\nnode [ id 1 " + second +
                               " x 2 ]\nedge [ source 0 target 1 ]\n]\n");
    return sandbox.run("inspect --graph g.gml --node-names name");
  };
  CHECK_THAT(gml("name \"bob\"").out, Contains("node \"ada\"") && !Contains("\n  name "));
  const Result missing = gml("y 1");
  CHECK(missing.code == 3);
  CHECK_THAT(missing.error, Contains("g.gml:3: node \"1\" has no attribute \"name\""));
  CHECK_THAT(gml("name \"ada\"").error, Contains("g.gml:3: nodes \"0\" and \"1\" have the same \"name\", \"ada\""));
  CHECK_THAT(sandbox.run("inspect --graph g.gml --node-names nam").error,
             Contains("no node has the attribute \"nam\"; nodes have \"name\", \"x\""));
  CHECK(sandbox.run("inspect --edges friends.csv --node-names name").code == 2);
}
