#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::Result;
using test::Sandbox;

namespace {

Result train(const Sandbox& sandbox, const std::string& more) {
  return sandbox.run(
      fmt::format("train {}--label buys --epochs 15 --learning-rate 0.02 {}", Sandbox::kFiles, more));
}

}  // namespace

TEST_CASE("train chooses a model when none is named", "[apps][auto]") {
  const Sandbox sandbox;
  const Result result = train(sandbox, "--out m.safetensors --metrics m.jsonl --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  const json::Value object = result.json();
  CHECK(object.at("config").at("model").at("preset") == json::Value("auto"));
  const json::Value& choice = object.at("choice");
  CHECK(choice.at("models").as_array().size() >= 6);  // including those refined with Correct and Smooth
  const std::string chosen = object.at("model").as_string();
  CHECK_THAT(choice.at("reason").as_string(), Contains(chosen + " is kept: "));
  for (const json::Value& model : choice.at("models").as_array()) {
    CHECK((model.at("kept") == json::Value(1)) == (model.at("model").as_string() == chosen));
    CHECK(model.at("is_baseline").as_bool() == (model.at("model").as_string() == "label_propagation"));
  }
  CHECK_THAT(sandbox.read("m.jsonl"), Contains("\"model\":\"mlp\"") && Contains("\"model\":\"gat\""));
  CHECK(sandbox.run("predict m.safetensors").code == 0);
}

TEST_CASE("of several runs one model is kept, and everything says which", "[apps][auto]") {
  const Sandbox sandbox;
  const std::string flags = "--split random --runs 4 --seed 1 --out m.safetensors ";
  const Result result = train(sandbox, flags + "--metrics m.jsonl");
  INFO(result.out);
  REQUIRE(result.code == 0);
  // The run with the best validation metric, from what each run has reported.
  std::size_t best = 0;
  std::vector<double> validation;
  std::istringstream lines(sandbox.read("m.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const json::Value event = json::parse(line, "m.jsonl");
    if (event.at("event") == json::Value("end"))
      validation.push_back(event.at("validation").at("accuracy").as_number());
  }
  REQUIRE(validation.size() == 4);
  for (std::size_t run = 1; run < 4; ++run)
    if (validation[run] > validation[best]) best = run;
  const json::Value object = train(sandbox, flags + "--json").json();
  CHECK(object.at("kept_run") == json::Value(static_cast<std::int64_t>(best)));
  const std::string kept = object.at("model").as_string();
  const json::Value& choice = object.at("choice");
  CHECK_THAT(choice.at("reason").as_string(),
             Contains(kept == "average" ? "the average of " : kept + " is kept: "));
  CHECK_THAT(result.out, StartsWith(kept + " on "));
  CHECK_THAT(result.out, Contains(choice.at("reason").as_string()) && Contains("no model to keep"));
  CHECK_THAT(result.out,
             Contains(fmt::format("\nrun {} of 4 is kept for its accuracy on the validation items", best + 1)));
  std::istringstream table(result.out);
  std::size_t winners = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.find("  kept") == std::string::npos) continue;
    ++winners;
    CHECK_THAT(line, StartsWith(kept + " ") && Contains("s  kept, the best in "));
  }
  CHECK(winners == 1);
  const json::Value evaluated = sandbox.run("evaluate m.safetensors --json").json();
  CHECK(evaluated.at("run") == json::Value(static_cast<std::int64_t>(best)));
  CHECK_THAT(sandbox.run("evaluate m.safetensors").out,
             Contains(fmt::format("(of the split of run {} of 4, kept for its validation items", best + 1)));
  CHECK(sandbox.run("evaluate m.safetensors --part all --json").json().find("run") == nullptr);
}

TEST_CASE("the chosen model equals the one of train --model", "[apps][auto]") {
  const Sandbox sandbox;
  const Result chosen = train(sandbox, "--correct-and-smooth never --label-input 0 --predictions auto.csv --json");
  REQUIRE(chosen.code == 0);
  REQUIRE(train(sandbox,
                "--predictions named.csv --correct-and-smooth never --model " + chosen.json().at("model").as_string())
              .code == 0);
  CHECK(sandbox.read("auto.csv") == sandbox.read("named.csv"));
}

TEST_CASE("no model is chosen if one is described", "[apps][auto]") {
  const Sandbox sandbox;
  const auto preset = [&](const std::string& flags) {
    return train(sandbox, flags + " --print-config --json").json().at("model").at("preset").as_string();
  };
  CHECK(preset("") == "auto");
  CHECK(preset("--model mlp") == "mlp");
  CHECK(preset("--heads 4") == "gat");
}

TEST_CASE("a choice has a checkpoint", "[apps][auto][resume]") {
  const Sandbox sandbox;
  const Result whole = train(sandbox, "--checkpoint c --predictions whole.csv");
  INFO(whole.error);
  REQUIRE(whole.code == 0);
  const Result again = sandbox.run("train --resume c --predictions again.csv");
  INFO(again.error);
  REQUIRE(again.code == 0);
  CHECK_THAT(again.error, Contains("c: continues after"));
  CHECK(sandbox.read("again.csv") == sandbox.read("whole.csv"));
  CHECK(sandbox.run("train --resume c --learning-rate 0.5").code == 4);
  CHECK(train(sandbox, "--model mlp --resume c").code == 4);
}

TEST_CASE("the model of a recipe is one of the candidates", "[apps][auto]") {
  const Sandbox sandbox;
  const json::Value printed = sandbox.run("train purchases --model auto --print-config --json").json();
  const json::Value& model = printed.at("model");
  CHECK(model.at("preset") == json::Value("auto"));
  CHECK(model.at("also").as_array().front().at("dropout") == json::Value(0.2));
  CHECK(sandbox.run("train purchases --print-config --json").json().at("model").at("preset") == json::Value("gat"));
}

TEST_CASE("candidates for molecules have the same size", "[apps][auto]") {
  const Sandbox sandbox;
  sandbox.write("m.csv", "smiles,y\nCCO,1\nCCC,2\nCCN,1\nc1ccccc1,3\nCCCC,2\nCO,1\nCCCl,2\nCC=O,1\nCCCCC,2\nCCF,1\n");
  const std::string job =
      "train --molecules m.csv --target y --task regression --epochs 2 --split random --train-share 0.5 "
      "--validation-share 0.3 ";
  const Result result = sandbox.run(job + "--json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  const json::Value object = result.json();
  const json::Array& models = object.at("choice").at("models").as_array();
  REQUIRE(models.size() >= 5);  // their average, if there is one, comes last
  CHECK(models[0].at("model") == json::Value("sage"));
  CHECK(models[1].at("model") == json::Value("gatv2"));
  CHECK(models[2].at("model") == json::Value("fingerprint"));
  CHECK(models[3].at("model") == json::Value("descriptors"));
  CHECK(models[4].at("model") == json::Value("boosted_trees"));
  for (const json::Value& model : models) CHECK_FALSE(model.at("is_baseline").as_bool());
  CHECK(sandbox.run(job + "--heads 2 --json").json().at("model") == json::Value("gatv2"));
}

TEST_CASE("the report names the model that is trained when none can be chosen", "[apps][auto]") {
  const Sandbox sandbox;
  sandbox.write("m.csv", "smiles,y\nCCO,1\nCC,2\nCCC,3\n");
  const Result graphs = sandbox.run("train --molecules m.csv --target y --task regression --epochs 2 --split random "
                                    "--validation-share 0 --json");
  INFO(graphs.error);
  REQUIRE(graphs.code == 0);
  CHECK(graphs.json().at("model") == json::Value("gatv2"));
  CHECK_THAT(graphs.error, Contains("the default, gatv2, is used"));
  const Result nodes = train(sandbox, "--validation-share 0");
  CHECK(nodes.code == 0);
  CHECK_THAT(nodes.out, Contains("gat on friends.csv"));
  CHECK_THAT(nodes.error, Contains("the default, gat, is used"));
}

TEST_CASE("the best model for molecules is kept, even a baseline", "[apps][auto]") {
  const Sandbox sandbox;
  std::string table = "smiles,y\n";  // the number of groups, hard to learn for a graph model in two epochs
  for (std::size_t n = 1; n <= 40; ++n) table += fmt::format("C{}C,{}\n", std::string(n, 'O'), n);
  sandbox.write("m.csv", table);
  const std::string job = "train --molecules m.csv --target y --task regression --epochs 2 --split random ";
  const Result result = sandbox.run(job + "--ensemble 2 --out m.safetensors --predictions t.csv --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  const json::Value object = result.json();
  const std::string kept = object.at("model").as_string();
  CHECK((kept == "fingerprint" || kept == "descriptors"));
  CHECK_THAT(object.at("choice").at("reason").as_string(), Contains(kept + " is kept: "));
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
  REQUIRE(sandbox.run(job + "--model " + kept + " --predictions named.csv").code == 0);
  CHECK(sandbox.read("named.csv") == sandbox.read("t.csv"));
}

TEST_CASE("an average of models is used like one model", "[apps][auto]") {
  const Sandbox sandbox;
  std::string table = "smiles,y\n";  // y does not depend on the molecule
  for (std::size_t n = 1; n <= 60; ++n)
    table += fmt::format("{}{},{}\n", std::string(n % 20 + 1, 'C'), "CON"[n % 3], n * 7919 % 13);
  sandbox.write("m.csv", table);
  const Result result = sandbox.run("train --molecules m.csv --target y --task regression --epochs 20 --split random "
                                    "--validation-share 0.05 --out m.safetensors --predictions t.csv --json");
  INFO(result.error);
  REQUIRE(result.code == 0);  // 3 molecules cannot distinguish the models
  const json::Value object = result.json();
  REQUIRE(object.at("model") == json::Value("average"));
  CHECK_THAT(object.at("choice").at("reason").as_string(),
             Contains("3 validation items are too few to tell them apart"));
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
  CHECK_THAT(sandbox.read("p.csv"), Contains("std_y"));
  const Result measured = sandbox.run("evaluate m.safetensors --json");
  CHECK(measured.json().at("metrics").at("rmse") == object.at("test").at("rmse").at("mean"));
  const Result explained = sandbox.run("explain m.safetensors --row 1 --by attention --json");
  CHECK(explained.code == 0);
  CHECK_THAT(explained.error, Contains("only gatv2 is explained"));
  CHECK(sandbox.run("predict m.safetensors --embeddings e.csv").code == 0);
  // --from uses the first model of the average that has layers.
  const Result printed = sandbox.run("train --molecules m.csv --target y --from m.safetensors --print-config --json");
  INFO(printed.error);
  REQUIRE(printed.code == 0);
  const json::Value preset = printed.json().at("model").at("preset");
  CHECK((preset == json::Value("gatv2") || preset == json::Value("sage")));
}

TEST_CASE("an interrupted choice says so", "[apps][auto]") {
  const Sandbox sandbox;
  const Result result =
      sandbox.shell(Sandbox::kBinary + ("train " + std::string(Sandbox::kFiles)) +
                    "--label buys --epochs 1000000 --patience 0 --metrics m.jsonl & "
                    "while ! [ -s m.jsonl ] && kill -0 $!; do sleep 0.05; done; kill -INT $!; wait $!");
  INFO(result.error);
  CHECK(result.code == 130);
  CHECK_THAT(result.out, Contains("stopped while training mlp; of the models tried before, mlp"));
  CHECK_THAT(result.error, Contains("\nstopped\n"));
}

TEST_CASE("a model with Correct and Smooth keeps the known labels", "[apps][auto]") {
  const Sandbox sandbox;
  const Result trained =
      train(sandbox, "--model mlp --correct-and-smooth always --out m.safetensors --predictions t.csv --json");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
  const Result measured = sandbox.run("evaluate m.safetensors --json");
  REQUIRE(measured.code == 0);
  CHECK(measured.json().at("metrics").at("accuracy") == trained.json().at("test").at("accuracy").at("mean"));
  sandbox.write("some.csv", "p7\n");
  REQUIRE(sandbox.run("predict m.safetensors --nodes-to-predict some.csv --out s.csv").code == 0);
  const std::string row = sandbox.read("s.csv");
  CHECK_THAT(sandbox.read("p.csv"), Contains(row.substr(row.find('\n') + 1)));
  CHECK(train(sandbox, "--correct-and-smooth sometimes").code == 2);
}

TEST_CASE("candidates can be named without --model auto", "[apps][auto]") {
  const Sandbox sandbox;
  const Result result = train(sandbox, R"(--set 'model.candidates=["mlp"]' --json)");
  INFO(result.error);
  REQUIRE(result.code == 0);
  CHECK(result.json().at("config").at("model").at("preset") == json::Value("auto"));
  const Result set = sandbox.run(R"(train cora --print-config --json --set 'model.candidates=["mlp"]')");
  CHECK(set.json().at("model").at("candidates") == json::Value(json::Array{"mlp"}));
}
