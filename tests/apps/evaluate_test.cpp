#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

TEST_CASE("metrics of no nodes are a dash, and an empty part is an error", "[apps][evaluate]") {
  const Sandbox sandbox;
  const Result result =
      sandbox.train("--epochs 2 --split random --train-share 1 --validation-share 0 --out m.safetensors");
  CHECK(result.code == 0);
  CHECK_THAT(result.error + result.out, !Contains("nan"));
  CHECK(sandbox.run("evaluate m.safetensors --part none").code == 2);
  const Result nothing = sandbox.run("evaluate m.safetensors --part test");
  CHECK(nothing.code == 3);
  CHECK_THAT(nothing.error, Contains("friends.csv, test: no item there has a known label"));
}

TEST_CASE("the training files, given again, are evaluated on the test part", "[apps][evaluate]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--out m.safetensors").code == 0);
  const json::Value own = sandbox.run("evaluate m.safetensors --json").json();
  const json::Value named = sandbox.run("evaluate m.safetensors --json " + std::string(Sandbox::kFiles)).json();
  CHECK(named.at("part") == json::Value("test"));
  CHECK(named.at("metrics") == own.at("metrics"));
  sandbox.write_others();
  const Result other = sandbox.run("evaluate m.safetensors --edges ties.csv --nodes other.csv --json");
  INFO(other.error);
  CHECK(other.json().at("part") == json::Value("all"));
  const Result test = sandbox.run("evaluate m.safetensors --edges ties.csv --nodes other.csv --part test");
  CHECK(test.code == 2);
  CHECK_THAT(test.error, Catch::Matchers::Contains("--part: ties.csv has no split"));
  const std::string others = "evaluate m.safetensors --edges ties.csv --nodes other.csv --json ";
  CHECK(sandbox.run(others + "--split random").json().at("part") == json::Value("test"));
  sandbox.write("s.csv", "node,split\np0,test\nq4,train\n");
  CHECK(sandbox.run(others + "--split-file s.csv").json().at("nodes") == json::Value(1));
}

TEST_CASE("the class that was rarer in training is ranked on other data too", "[apps][evaluate]") {
  const Sandbox sandbox;
  std::string nodes = "id,x,label\n", edges = "a,b\n", others = nodes;
  for (int i = 0; i < 40; ++i) {
    nodes += fmt::format("{},{},{}\n", i, i, i % 4 == 0 ? "rare" : "common");
    others += fmt::format("{},{},{}\n", i, i, i % 4 != 0 ? "rare" : "common");
    if (i > 0) edges += fmt::format("{},{}\n", i - 1, i);
  }
  sandbox.write("n.csv", nodes);
  sandbox.write("o.csv", others);
  sandbox.write("e.csv", edges);
  REQUIRE(sandbox.run("train --nodes n.csv --edges e.csv --label label --model mlp --epochs 2 --out m.safetensors")
              .code == 0);
  const std::string command = "evaluate m.safetensors --edges e.csv --part all --nodes ";
  CHECK(sandbox.run(command + "n.csv --json").json().at("positive_class") == json::Value("rare"));
  CHECK(sandbox.run(command + "o.csv --json").json().at("positive_class") == json::Value("rare"));
  CHECK_THAT(sandbox.run(command + "o.csv").out, Contains("(roc_auc and average_precision: \"rare\" against"));
}

TEST_CASE("a split other than that of training is noted", "[apps][evaluate]") {
  const Sandbox sandbox;
  const std::string message =
      "the split is not that of training: the model may have been trained on some of these items";
  const auto split = [&](const std::string& flags) {
    REQUIRE(sandbox.run(fmt::format("data split --split random --label buys --out s.csv {}{}", Sandbox::kFiles, flags))
                .code == 0);
  };
  split("--run 1");
  REQUIRE(sandbox.train("--epochs 2 --split-file s.csv --out m.safetensors").code == 0);
  CHECK_THAT(sandbox.run("evaluate m.safetensors").error, !Contains(message));
  CHECK_THAT(sandbox.run("evaluate m.safetensors --split random").error, Contains(message));
  split("--run 2");
  CHECK_THAT(sandbox.run("evaluate m.safetensors").error, Contains(message));
  CHECK_THAT(sandbox.run("evaluate m.safetensors --part all").error, !Contains(message));
}

TEST_CASE("a split in a column of any name is that of training", "[apps][evaluate]") {
  const Sandbox sandbox;
  std::string nodes = "id,x,label,part\n", edges = "a,b\n";
  for (int i = 0; i < 40; ++i) {
    nodes += fmt::format("n{},{},{},{}\n", i, i, i % 3 == 0 ? "u" : "v",
                         i % 4 == 0 ? "test" : i % 4 == 1 ? "validation" : "train");
    if (i > 0) edges += fmt::format("n{},n{}\n", i - 1, i);
  }
  sandbox.write("n.csv", nodes);
  sandbox.write("e.csv", edges);
  REQUIRE(sandbox
              .run("train --nodes n.csv --edges e.csv --label label --split-column part --model mlp --epochs 2 --out "
                   "m.safetensors")
              .code == 0);
  const Result evaluated = sandbox.run("evaluate m.safetensors --json");
  INFO(evaluated.error);
  REQUIRE(evaluated.code == 0);
  CHECK(evaluated.json().at("nodes") == json::Value(10));
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
  CHECK_THAT(sandbox.read("p.csv"), Contains("\nn0,") && Contains(",test\n"));
}
