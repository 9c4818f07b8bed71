#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"

using namespace edgewise;
using test::Result;
using test::Sandbox;

TEST_CASE("a verb that waits for data ends when it is interrupted", "[apps][interrupt]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--model gat --epochs 1 --out m.safetensors").code == 0);
  // The pipe can be opened once the command reads it. Nothing ever comes.
  const auto interrupt = [&](const std::string& arguments) {
    return sandbox.shell("mkfifo slow.csv; " + Sandbox::kBinary + arguments +
                         " --threads 1 --quiet & exec 3>slow.csv; kill -INT $!; wait $!; code=$?; rm slow.csv; "
                         "exit $code");
  };
  const std::string data = " --edges slow.csv --nodes people.csv --label buys";
  for (const auto& [arguments, schema] : {std::pair{"train" + data, "edgewise.train/1"},
                                          {"inspect" + data, "edgewise.inspect/1"},
                                          {"evaluate m.safetensors --edges slow.csv --nodes people.csv",
                                           "edgewise.evaluate/1"},
                                          {"predict m.safetensors --edges slow.csv --nodes people.csv --out p.csv",
                                           "edgewise.predict/1"}}) {
    INFO(arguments);
    const Result result = interrupt(arguments);
    CHECK(result.code == 130);
    CHECK(result.out == "interrupted before the first result\n");
    const Result as_json = interrupt(arguments + " --json");
    CHECK(as_json.code == 130);
    CHECK(as_json.json() == json::Value(json::Object{{"schema", schema}, {"interrupted", true}}));
  }
  CHECK_FALSE(std::filesystem::exists(sandbox.path("p.csv")));
}

TEST_CASE("train has a budget", "[apps][budget]") {
  const Sandbox sandbox;
  // That it ends a training is tested with a clock that the test moves on (choose_test.cpp).
  const Result result = sandbox.train("--model gat --budget 10h --json");
  INFO(result.error);
  CHECK(result.code == 0);
  CHECK_FALSE(result.json().at("interrupted").as_bool());
  CHECK(result.json().at("config").at("training").at("budget") == json::Value("10h"));
  const Result refused = sandbox.train("--budget soon");
  CHECK(refused.code == 2);
  CHECK_THAT(refused.error,
             Catch::Contains("training.budget: expected a time such as 90s, 10m or 2h, got \"soon\""));
  CHECK(sandbox.run("compare --budget 10m").code == 2);
}
