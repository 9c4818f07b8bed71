// Data sets in the layout of the TU Dortmund collection, on the command line.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::check_one_line;
using test::lines_of;
using test::Result;
using test::Sandbox;

namespace {

/// Writes the folder `name` with one path of three nodes for each of `middles`, the label of the middle node. The outer
/// nodes have the label 9. The class is 1 if the middle label is 7, else -1.
void write_paths(const Sandbox& sandbox, const std::string& name, const std::vector<int>& middles,
                 bool has_classes = true) {
  std::filesystem::create_directories(sandbox.path(name));
  std::string arcs, indicator, nodes, edges, classes;
  int first = 1, graph = 1;
  for (const int middle : middles) {
    arcs += fmt::format("{0}, {1}\n{1}, {0}\n{1}, {2}\n{2}, {1}\n", first, first + 1, first + 2);
    indicator += fmt::format("{0}\n{0}\n{0}\n", graph);
    nodes += fmt::format("9\n{}\n9\n", middle);
    edges += fmt::format("{0}\n{0}\n{1}\n{1}\n", middle == 7 ? 2 : 5, 2);
    classes += middle == 7 ? "1\n" : "-1\n";
    first += 3;
    ++graph;
  }
  const std::string prefix = name + "/TOY_";
  sandbox.write(prefix + "A.txt", arcs);
  sandbox.write(prefix + "graph_indicator.txt", indicator);
  sandbox.write(prefix + "node_labels.txt", nodes);
  sandbox.write(prefix + "edge_labels.txt", edges);
  if (has_classes) sandbox.write(prefix + "graph_labels.txt", classes);
}

constexpr const char* kTrainPaths =
    "train --tu toy --model gatv2 --hidden 8 --heads 2 --layers 2 --epochs 30 --batch-size 8 --learning-rate 0.02 "
    "--schedule constant --set training.schedule.warmup=0 --threads 1 ";

struct Toy : Sandbox {
  Toy() {
    std::vector<int> middles;
    for (int i = 0; i < 60; ++i) middles.push_back(i % 2 == 0 ? 7 : i % 4 == 1 ? 3 : 8);
    write_paths(*this, "toy", middles);
    const Result trained = run(std::string(kTrainPaths) + "--out m.safetensors");
    INFO(trained.error);
    REQUIRE(trained.code == 0);
  }
  Result ok(const std::string& arguments) const {
    Result result = run(arguments);
    INFO(arguments << '\n' << result.error);
    REQUIRE(result.code == 0);
    return result;
  }
};

/// A line of a CSV file without its first field.
std::string answer(const std::string& csv, std::size_t line) {
  std::istringstream lines(csv);
  std::string text;
  for (std::size_t i = 0; i <= line; ++i) std::getline(lines, text);
  return text.substr(text.find(','));
}

}  // namespace

TEST_CASE("every verb takes a TU folder", "[apps][tu]") {
  const Toy files;
  CHECK(files.ok("evaluate m.safetensors --json").json().at("metrics").at("accuracy").as_number() > 0.9);
  files.ok("predict m.safetensors --out p.csv");
  CHECK_THAT(files.read("p.csv"), Catch::Matchers::StartsWith("graph,predicted,p_-1,p_1,known,split\n1,1,"));
  CHECK(lines_of(files.read("p.csv")) == 61);
  CHECK_THAT(files.ok("inspect --tu toy").out, Contains("60 graphs"));
  CHECK(files.ok("explain m.safetensors --row 2 --by attention --json")
            .json()
            .at("attention")
            .at("nodes")
            .as_array()
            .size() == 3);
  const Result compared = files.ok("compare --tu toy/TOY --models sage,sum_features --runs 1 --epochs 5 --json");
  CHECK(compared.json().at("models").as_array().size() == 3);
  CHECK(files.ok("train --tu toy/TOY_A.txt --epochs 2 --json").json().at("graphs").as_integer() == 60);
}

TEST_CASE("labels of nodes, edges and graphs mean the same as in training", "[apps][tu]") {
  const Toy files;
  files.ok("predict m.safetensors --out p.csv");
  write_paths(files, "some", {8, 7});  // no node has the label 3, so 7 is the first label here, not the second
  const Result some = files.ok("predict m.safetensors --tu some --out some.csv");
  CHECK(some.error.find("not seen in training") == std::string::npos);
  const std::string all = files.read("p.csv"), few = files.read("some.csv");
  CHECK_THAT(answer(all, 4), Catch::Matchers::StartsWith(answer(few, 1)));  // a graph with 8 in the middle
  CHECK_THAT(answer(all, 1), Catch::Matchers::StartsWith(answer(few, 2)));

  write_paths(files, "ones", {7, 7, 7});  // the class -1 is absent
  CHECK(files.ok("evaluate m.safetensors --tu ones --part all --json").json().at("labels") ==
        json::Value(json::Array{"-1", "1"}));
  write_paths(files, "unlabelled", {7, 3}, false);
  files.ok("predict m.safetensors --tu unlabelled --out u.csv");
  CHECK(lines_of(files.read("u.csv")) == 3);
  CHECK(files.run("evaluate m.safetensors --tu unlabelled").code == 3);

  const Result named = files.run("predict m.safetensors --label class");
  CHECK(named.code == 2);
  CHECK_THAT(named.error, Contains("data.label: the model was trained on labels that are in no column of a table"));

  write_paths(files, "bare", {7, 3});
  std::filesystem::remove(files.path("bare/TOY_node_labels.txt"));
  const Result bare = files.run("predict m.safetensors --tu bare");
  CHECK(bare.code == 4);
  check_one_line(bare);
  CHECK_THAT(bare.error, Contains("TOY: there is no TOY_node_labels.txt, but the model needs the labels of nodes"));

  write_paths(files, "new", {7, 4});
  const Result unknown = files.ok("predict m.safetensors --tu new --out n.csv");
  CHECK_THAT(unknown.error, Contains("1 node has a label not seen in training (4), which is ignored"));
}

TEST_CASE("an unusable TU folder is an error in one line", "[apps][tu]") {
  const Sandbox files;
  write_paths(files, "toy", {7, 3, 7, 3});
  const auto check = [&](const std::string& arguments, int code, const std::string& message) {
    const Result result = files.run(arguments);
    INFO(arguments);
    CHECK(result.code == code);
    check_one_line(result);
    CHECK_THAT(result.error, Contains(message));
  };
  write_paths(files, "ones", {7, 7, 7});
  check("train --tu ones --epochs 1", 3, "every graph has the label 1; expected two or more");
  check("inspect --tu nowhere", 3, "nowhere_graph_indicator.txt: cannot be read");
  check("inspect --tu toy --label x", 2, "data.tu: the set has its own nodes, features and labels");
  check("inspect --tu toy --edges friends.csv", 2, "data: give one of an edge list and a TU folder, not both");
  check("inspect --tu toy --graph-column g --nodes people.csv", 2, "data: a collection cannot be combined with");
  check("train --tu toy --task regression", 3, "TOY: the graphs have no attributes");
  check("train --tu toy --out toy/TOY_A.txt", 2, "toy/TOY_A.txt is also read (data.tu)");
  std::string long_name = "inspect --tu ";
  long_name.append(300, 'x');
  check(long_name, 3, "cannot be read");
  std::filesystem::create_directories(files.path("empty"));
  check("inspect --tu empty", 3, "empty: holds no file NAME_A.txt");
  files.write("toy/TOY_node_labels.txt", "9\n");
  check("inspect --tu toy", 3, "toy/TOY_node_labels.txt: expected 12 lines, one for each node, found 1");
}

TEST_CASE("graphs without features are distinguished by their edges", "[apps][tu]") {
  const Sandbox sandbox;
  std::filesystem::create_directories(sandbox.path("bare"));
  std::string arcs, indicator, classes, nodes = "node,graph\n", edges = "source,target\n", graphs = "graph,ring\n";
  for (int graph = 0, first = 1; graph < 60; ++graph, first += 6) {
    const int length = graph % 2 == 0 ? 3 : 6;  // one ring of six nodes, or two of three
    for (int i = 0; i < 6; ++i) {
      const int from = first + i, to = first + i / length * length + (i + 1) % length;
      arcs += fmt::format("{0}, {1}\n{1}, {0}\n", from, to);
      edges += fmt::format("v{},v{}\n", from, to);
      nodes += fmt::format("v{},g{}\n", from, graph);
      indicator += fmt::format("{}\n", graph + 1);
    }
    classes += fmt::format("{}\n", length);
    graphs += fmt::format("g{},c{}\n", graph, length);
  }
  sandbox.write("bare/BARE_A.txt", arcs);
  sandbox.write("bare/BARE_graph_indicator.txt", indicator);
  sandbox.write("bare/BARE_graph_labels.txt", classes);
  sandbox.write("nodes.csv", nodes);
  sandbox.write("edges.csv", edges);
  sandbox.write("graphs.csv", graphs);
  for (const std::string data : {"--tu bare",
                                 "--nodes nodes.csv --id node --edges edges.csv --graphs graphs.csv "
                                 "--graph-column graph --label ring"}) {
    INFO(data);
    const std::string job =
        "train " + data + " --model sage --hidden 8 --layers 2 --epochs 20 --learning-rate 0.02 --json ";
    const Result trained = sandbox.run(job + "--out m.safetensors --predictions t.csv");
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    CHECK_THAT(trained.error,
               Contains("the nodes have no features") && Contains("(--degree --random-walk 8)"));
    CHECK(trained.json().at("test").at("accuracy").at("mean") == json::Value(1.0));
    REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
    CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
    // Only the given encodings are used; all degrees are two.
    const Result asked = sandbox.run(job + "--degree --out d.safetensors");
    REQUIRE(asked.code == 0);
    CHECK(asked.error.find("have no features") == std::string::npos);
    CHECK(asked.json().at("test").at("accuracy").at("mean").as_number() < 0.9);
    CHECK(sandbox.run("predict d.safetensors --out p.csv").code == 0);
  }
}
