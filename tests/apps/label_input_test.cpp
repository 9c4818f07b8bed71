#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

TEST_CASE("verbs show a model the labels known in training", "[apps][label_input]") {
  const Sandbox sandbox;
  const Result trained =
      sandbox.train("--model gat --label-input 0.5 --out m.safetensors --predictions trained.csv --json");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv --embeddings e.csv").code == 0);
  const std::string table = sandbox.read("p.csv");
  CHECK(table == sandbox.read("trained.csv"));
  const auto accuracy = [&](const std::string& flags) {
    const Result result = sandbox.run("evaluate m.safetensors --json " + flags);
    INFO(result.error);
    REQUIRE(result.code == 0);
    return result.json().at("metrics").at("accuracy");
  };
  CHECK(accuracy("") == trained.json().at("test").at("accuracy").at("mean"));
  CHECK(accuracy("--part validation --reorder degree").as_number() > 0);
  CHECK(accuracy("--part train").as_number() < 1);  // scored labels are not shown
  CHECK(sandbox.run("explain m.safetensors --node p3").code == 0);

  sandbox.write("some.csv", "p7\np12\n");
  REQUIRE(sandbox.run("predict m.safetensors --nodes-to-predict some.csv --out s.csv --embeddings f.csv").code == 0);
  for (const auto& [part, whole] : {std::pair{"s.csv", "p.csv"}, {"f.csv", "e.csv"}}) {
    const std::string rows = sandbox.read(part);
    const std::string last = rows.substr(rows.find("\np12,") + 1);
    CHECK_THAT(sandbox.read(whole), Contains(last));
  }
  CHECK(sandbox.train("--model gat --label-input most").code == 2);
}

TEST_CASE("a graph without known labels is predicted without showing any", "[apps][label_input]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--model gat --label-input 0.5 --out m.safetensors").code == 0);
  std::string people = "id,age,city\n";
  for (int v = 0; v < 80; ++v) people += fmt::format("p{},33,Bern\n", v);
  sandbox.write("unknown.csv", people);
  const Result result = sandbox.run("predict m.safetensors --edges friends.csv --nodes unknown.csv --out p.csv");
  CHECK(result.code == 0);
  CHECK_THAT(result.error, Contains("but here none are known"));
}
