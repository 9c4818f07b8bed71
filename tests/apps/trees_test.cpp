// Tree baselines on the command line.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/random.hpp"
#include "sandbox.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

namespace {

/// A ring of 300 people with random ages. `old`: whether the mean age of the two neighbours is above 50; `sum`: the sum
/// of their ages.
void write_ring(const Sandbox& sandbox) {
  constexpr int kPeople = 300;
  Random random(1, Stream::generate);
  std::vector<int> ages;
  for (int i = 0; i < kPeople; ++i) ages.push_back(18 + static_cast<int>(random.below(65)));
  const auto age = [&](int person) { return ages[static_cast<std::size_t>((person + kPeople) % kPeople)]; };
  std::string people = "id,age,height,old,sum,both\n", edges = "from,to\n";
  for (int i = 0; i < kPeople; ++i) {
    const int sum = age(i - 1) + age(i + 1);
    people += fmt::format("p{},{},{},{},{},{}\n", i, age(i), 150 + i * 31 % 50, sum > 100 ? "yes" : "no", sum,
                          sum > 110  ? "high"
                          : sum > 80 ? "middle"
                                     : "low");
    edges += fmt::format("p{},p{}\n", i, (i + 1) % kPeople);
  }
  sandbox.write("ring.csv", edges);
  sandbox.write("ages.csv", people);
}

constexpr const char* kRing = "--edges ring.csv --nodes ages.csv --threads 1 ";

}  // namespace

TEST_CASE("trees are saved and used like any model", "[apps][trees]") {
  const Sandbox sandbox;
  write_ring(sandbox);
  sandbox.write("some.csv", "p7\np200\n");
  for (const char* model : {"boosted_trees", "neighbour_trees"})
    for (const char* label : {"old --ignore sum,both", "both --ignore sum,old", "sum --ignore old,both"}) {
      INFO(model << " " << label);
      const Result trained = sandbox.run(std::string("train ") + kRing + "--label " + label + " --model " + model +
                                         " --out m.safetensors --predictions t.csv --json");
      INFO(trained.error);
      REQUIRE(trained.code == 0);
      REQUIRE(sandbox.run("predict m.safetensors --out p.csv --threads 2").code == 0);
      CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
      const Result measured = sandbox.run("evaluate m.safetensors --json");
      REQUIRE(measured.code == 0);
      const json::Value metrics = measured.json().at("metrics"), of_training = trained.json().at("test");
      for (const auto& [name, of_test] : of_training.as_object()) CHECK(metrics.at(name) == of_test.at("mean"));
      REQUIRE(sandbox.run("predict m.safetensors --nodes-to-predict some.csv --out s.csv").code == 0);
      const std::string some = sandbox.read("s.csv");
      CHECK_THAT(sandbox.read("p.csv"),
                 Contains(some.substr(some.find('\n') + 1, some.find("p200") - some.find('\n') - 1)));
      CHECK(sandbox.run("explain m.safetensors --node p7").code == 0);
      const Result explained = sandbox.run("explain m.safetensors --by attention --node p7");
      CHECK(explained.code == 4);
      CHECK_THAT(explained.error, Contains("no attention"));
    }
}

TEST_CASE("Correct and Smooth works on trees, and unsupported options are reported", "[apps][trees]") {
  const Sandbox sandbox;
  write_ring(sandbox);
  const std::string job = std::string("train ") + kRing + "--label old --ignore sum,both --model boosted_trees ";
  const Result trained =
      sandbox.run(job + "--correct-and-smooth always --out m.safetensors --predictions t.csv --json");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run(job + "--predictions plain.csv").code == 0);
  CHECK(sandbox.read("t.csv") != sandbox.read("plain.csv"));
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
  CHECK_THAT(sandbox.run("evaluate m.safetensors --json").out,
             Contains(json::dump(trained.json().at("test").at("accuracy").at("mean"))));
  const Result ignored = sandbox.run(job + "--ensemble 3 --consistency 2");
  CHECK(ignored.code == 0);
  CHECK_THAT(ignored.out + ignored.error, Contains("ensemble: boosted_trees is one model") &&
                                              Contains("consistency: boosted_trees is not trained in passes"));
  CHECK_THAT(sandbox.run(job + "--label-input 0.5").error,
             Contains("label_input: boosted_trees does not use labels"));
}

TEST_CASE("trees take sparse features and encodings", "[apps][trees]") {
  const Sandbox sandbox;
  write_ring(sandbox);
  std::string features = "node,feature,value\n";
  for (int i = 0; i < 300; ++i) features += fmt::format("p{},{},1\np{},{},{}\n", i, i % 7, i, 7 + i % 3, i % 5 + 1);
  sandbox.write("words.csv", features);
  for (const char* model : {"gcn --epochs 3", "boosted_trees", "neighbour_trees"}) {
    INFO(model);
    const Result trained =
        sandbox.run(std::string("train ") + kRing + "--label old --features words.csv --degree --model " + model +
                    " --out m.safetensors --predictions t.csv");
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    const Result predicted = sandbox.run("predict m.safetensors --out p.csv");
    INFO(predicted.error);
    REQUIRE(predicted.code == 0);
    CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
  }
}

TEST_CASE("the model of a data set knows the logarithm of its target", "[apps][trees]") {
  if (!test::dataset("wikipedia-chameleon")) return;
  const Sandbox sandbox;
  REQUIRE(sandbox
              .run("train wikipedia-chameleon --label 'log10(target)' --model gcn --label-input 0.5 --epochs 2 "
                   "--out m.safetensors --predictions t.csv")
              .code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
}

TEST_CASE("trees predict whole graphs", "[apps][trees]") {
  const Sandbox sandbox;
  const Result trained =
      sandbox.run("train hydrophilicity --model neighbour_trees --out m.safetensors --predictions t.csv --json");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK(trained.json().at("test").at("r2").at("mean").as_number() > 0.5);
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv --threads 2").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
  sandbox.write("new.csv", "smiles\nCCO\nCCCCCCCC\n");
  const Result predicted = sandbox.run("predict m.safetensors --molecules new.csv --out n.csv");
  INFO(predicted.error);
  CHECK(predicted.code == 0);
  CHECK(test::lines_of(sandbox.read("n.csv")) == 3);
}

TEST_CASE("trees that see neighbours are chosen when neighbours decide", "[apps][trees]") {
  const Sandbox sandbox;
  write_ring(sandbox);
  const Result result = sandbox.run(std::string("train ") + kRing +
                                    "--label sum --ignore old,both --epochs 3 --out m.safetensors --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  CHECK(result.json().at("model") == json::Value("neighbour_trees"));
  CHECK_THAT(result.json().at("choice").at("reason").as_string(), Contains("the graph adds"));
  CHECK(result.json().at("test").at("r2").at("mean").as_number() > 0.7);
  const Result compared = sandbox.run(std::string("compare ") + kRing +
                                      "--label sum --ignore old,both --epochs 3 --runs 3 "
                                      "--models boosted_trees,neighbour_trees");
  INFO(compared.error);
  REQUIRE(compared.code == 0);
  CHECK_THAT(compared.out, Contains("the graph adds"));
}

TEST_CASE("training flags without effect on a baseline are noted", "[apps][trees]") {
  const Sandbox sandbox;
  const std::string job = "train " + std::string(Sandbox::kFiles) + "--label buys --model boosted_trees --seed 1 ";
  const Result noted = sandbox.run(job + "--learning-rate 0.1 --set training.average=0.9 --metric accuracy");
  CHECK(noted.code == 0);
  CHECK_THAT(noted.error, Contains("learning_rate, average: without effect on boosted_trees\n"));
  const Result used = sandbox.run(job + "--metric accuracy");
  CHECK(used.code == 0);
  CHECK_THAT(used.error, !Contains("without effect"));
}

TEST_CASE("trees refuse what they do not support", "[apps][trees]") {
  const Sandbox sandbox;
  write_ring(sandbox);
  const Result bare =
      sandbox.run(std::string("train ") + kRing + "--label old --ignore age,height,sum,both --model neighbour_trees");
  CHECK(bare.code == 2);
  CHECK_THAT(bare.error, Contains("\"neighbour_trees\" needs features of the nodes, but there are none"));
  const Result nodes = sandbox.run(std::string("train ") + kRing + "--label old --model fingerprint");
  CHECK(nodes.code == 2);
  CHECK_THAT(nodes.error, Contains("\"fingerprint\" is for graphs, but the data has labels of nodes"));

  REQUIRE(sandbox
              .run(std::string("train ") + kRing +
                   "--label sum --ignore old,both --model neighbour_trees --out m.safetensors")
              .code == 0);
  sandbox.write("short.csv", "id,age\np1,30\np2,40\n");
  sandbox.write("pair.csv", "from,to\np1,p2\n");
  const Result missing = sandbox.run("predict m.safetensors --edges pair.csv --nodes short.csv");
  CHECK(missing.code != 0);
  CHECK_THAT(missing.error, Contains("height"));
}
