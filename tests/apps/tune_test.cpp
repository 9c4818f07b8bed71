#include <catch2/catch.hpp>

#include "sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

namespace {

const std::string kJob = "tune --edges friends.csv --nodes people.csv --label buys --threads 1 --epochs 9 ";
const std::string kTune = kJob + "--models mlp,gcn --json ";

}  // namespace

TEST_CASE("tune finds a configuration for train", "[apps][tune]") {
  const Sandbox sandbox;
  const Result result = sandbox.run(kTune + "--brackets 2 --out best.json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  const json::Value object = result.json();
  CHECK(object.at("steps").as_array().size() == 2 + 1 + 1 + 9 + 3 + 1);
  CHECK(object.at("best").at("epochs").as_integer() == 9);
  const Result trained = sandbox.run("train --config best.json --epochs 9 --json");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const std::string metric = object.at("metric").as_string();
  CHECK(trained.json().at("validation").at(metric).at("mean").as_number() ==
        object.at("best").at("validation").as_number());
}

TEST_CASE("a search continued from its log has the same result", "[apps][tune]") {
  const Sandbox sandbox;
  const Result whole = sandbox.run(kTune + "--brackets 2 --log whole.json");
  REQUIRE(whole.code == 0);
  REQUIRE(sandbox.run(kTune + "--brackets 1 --log part.json").code == 0);
  const Result rest = sandbox.run(kTune + "--brackets 2 --log part.json");
  REQUIRE(rest.code == 0);
  CHECK_THAT(rest.error, Contains("part.json: continues after 4 trainings"));
  const auto settled = [](const Result& result) {
    const json::Value object = result.json();
    std::string text;
    for (const json::Value& step : object.at("steps").as_array())
      text += json::dump(step.at("settings")) + json::dump(step.at("validation"));
    return text;
  };
  CHECK(settled(whole) == settled(rest));
  const Result other = sandbox.run(kTune + "--brackets 2 --hidden 8 --log part.json");
  CHECK(other.code == 3);
  CHECK_THAT(other.error, Contains("part.json: is of another search"));
}

TEST_CASE("tune says once why trials are skipped, and how many", "[apps][tune]") {
  const Sandbox sandbox;
  const Result result = sandbox.run(kJob + "--models mlp,gat --heads 2 --brackets 3");
  REQUIRE(result.code == 0);
  const std::string reason = "trainings are skipped: configuration: model: unknown member \"heads\"";
  CHECK_THAT(result.error, Contains(reason));
  CHECK(result.error.find("unknown member") == result.error.rfind("unknown member"));
}

TEST_CASE("tune refuses what it cannot do", "[apps][tune]") {
  const Sandbox sandbox;
  const auto check = [&](const std::string& arguments, const std::string& message) {
    const Result result = sandbox.run(kJob + arguments);
    INFO(result.error);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains(message));
  };
  check("--budget soon", "--budget: expected a time such as 90s, 10m or 2h, got \"soon\"");
  check("--budget 10", "--budget: expected a time");
  check("--budget abc --brackets 1", "--budget: expected a time");
  check("--budget 5m --brackets 1", "--brackets: replaces the time limit of --budget");
  check("--models gat,mlp,gat", "--models: expected each model once, got \"gat\" twice");
  check("--metric rmse --brackets 1", "training.metric: expected one of accuracy, ");
  check("--models label_propagation", "label_propagation has nothing to tune");
  check("--models gatt", "did you mean \"gat\"");
  check("--set model.blocks=[]", "expected a preset to be tuned");
  CHECK_THAT(sandbox.run(kJob + std::string("--models mlp --brackets 1 --epochs 9 --set split.validation=0")).error,
             Contains("is not defined on the validation items, so trials cannot be compared"));
  check("--models mlp --heads 2 --brackets 1",
        "no trial could be trained: configuration: model: unknown member \"heads\"");
}
