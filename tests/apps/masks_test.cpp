// --mask on the command line: train, explain and bench with the same rules.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::Sandbox;
using test::lines_of;
using test::Result;

namespace {

/// Alcohols and alkanes of one to eight carbons, with the number of carbons.
void write_chains(const Sandbox& sandbox) {
  std::string text = "smiles,carbons\n";
  for (int carbons = 1; carbons <= 8; ++carbons)
    for (const char* end : {"", "O"})
      text += fmt::format("{}{},{}\n", std::string(static_cast<std::size_t>(carbons), 'C'), end, carbons);
  sandbox.write("tested.csv", text);
}

constexpr const char* kChains =
    "train --molecules tested.csv --target carbons --epochs 3 --hidden 16 --layers 2 --batch-size 4 --out "
    "m.safetensors ";

double sum_of(const json::Value& attends_to) {
  double sum = 0;
  for (const json::Value& row : attends_to.as_array()) sum += row.at("heads").as_array()[0].as_number();
  return sum;
}

}  // namespace

TEST_CASE("a preset is trained and explained over the mask of --mask", "[apps][masks]") {
  const Sandbox sandbox;
  for (const char* mask : {"k_hop:2", "complete", "band:3"}) {
    INFO(mask);
    const Result trained =
        sandbox.train(fmt::format("--out m.safetensors --predictions one.csv --mask {} --threads 1", mask));
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    const Result explained = sandbox.run("explain m.safetensors --node p3 --by attention --out attention.csv --json");
    REQUIRE(explained.code == 0);
    const json::Value attention = explained.json();
    CHECK(attention.at("mask") == json::Value(mask));
    for (const json::Value& layer : attention.at("layers").as_array()) {
      CHECK(layer.at("mask") == json::Value(mask));
      CHECK(sum_of(layer.at("attends_to")) == Approx(1).margin(1e-5));
    }
    CHECK(attention.at("rows").as_integer() > 4);
    CHECK_THAT(sandbox.run("explain m.safetensors --node p3 --by attention").out,
               Contains(fmt::format(", mask {}) attends to", mask)));
    CHECK(sandbox.run("predict m.safetensors " + std::string(Sandbox::kFiles) + "--out again.csv").code == 0);
    CHECK(sandbox.read("again.csv") == sandbox.read("one.csv"));
    for (const int threads : {2, 3}) {
      REQUIRE(sandbox.train(fmt::format("--predictions many.csv --mask {} --threads {}", mask, threads)).code == 0);
      CHECK(sandbox.read("many.csv") == sandbox.read("one.csv"));
    }
  }
  CHECK(sandbox.train("--predictions edges.csv").code == 0);
  CHECK(sandbox.train("--predictions default.csv --mask edges").code == 0);
  CHECK(sandbox.read("default.csv") == sandbox.read("edges.csv"));
}

TEST_CASE("blocks of one model attend over different masks", "[apps][masks][explain]") {
  const Sandbox sandbox;
  sandbox.write("m.json", R"({"model": {"blocks": [
      {"type": "gatv2", "width": 8, "mask": "k_hop:2"},
      {"type": "parallel", "branches": [[{"type": "gat", "width": "outputs"}],
                                        [{"type": "dot_product", "width": "outputs", "mask": "band:2"}]]}]}})");
  REQUIRE(sandbox.run("train --config m.json --edges friends.csv --nodes people.csv --label buys --epochs 3 "
                   "--out m.safetensors")
              .code == 0);
  const json::Value explained = sandbox.run("explain m.safetensors --node p3 --by attention --json").json();
  const json::Array& layers = explained.at("layers").as_array();
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].at("mask") == json::Value("k_hop:2"));
  CHECK(layers[1].at("mask") == json::Value("edges"));
  CHECK(layers[2].at("mask") == json::Value("band:2"));
  CHECK(layers[2].at("attends_to").as_array().size() == 5);
  CHECK(layers[2].at("attends_to").as_array()[0].at("edge").is_null());
  CHECK(layers[1].at("attends_to").as_array()[0].at("edge").as_integer() > 0);
  CHECK_THAT(sandbox.run("explain m.safetensors --out a.csv").out,
             Contains("attention along") && Contains("in 1 layers"));
  CHECK_THAT(sandbox.run("explain m.safetensors --out a.csv --mask band:2").out, Contains("394 pairs of band:2"));
  CHECK(lines_of(sandbox.read("a.csv")) == 395);
  const Result wrong = sandbox.run("explain m.safetensors --out a.csv --mask band:3");
  CHECK(wrong.code == 2);
  test::check_one_line(wrong);
  CHECK_THAT(wrong.error, Contains("--mask: expected one that the model attends over, k_hop:2, edges, band:2"));
}

TEST_CASE("molecules are learnt over masks made for each molecule", "[apps][masks][molecules]") {
  const Sandbox sandbox;
  write_chains(sandbox);
  for (const char* mask : {"k_hop:2", "complete --distances 3", "star"}) {
    INFO(mask);
    std::string expected;
    for (const int threads : {1, 2, 3}) {
      const Result trained =
          sandbox.run(std::string(kChains) + fmt::format("--mask {} --predictions p.csv --threads {}", mask, threads));
      INFO(trained.error);
      REQUIRE(trained.code == 0);
      if (threads == 1) expected = sandbox.read("p.csv");
      CHECK(sandbox.read("p.csv") == expected);
    }
    const Result explained =
        sandbox.run("explain m.safetensors --molecules tested.csv --row 8 --by attention --out a.csv --json");
    INFO(explained.error);
    REQUIRE(explained.code == 0);
    CHECK(explained.json().at("attention").at("nodes").as_array().size() == 5);
    CHECK(explained.json().at("attention").at("edges").as_array().empty());  // no layer attends along edges
    CHECK_THAT(sandbox.read("a.csv"), StartsWith("source,target,edge,layer,head,weight\n0,0,,1,1,"));
  }
}

TEST_CASE("wrong masks are reported in one line with the choices", "[apps][masks]") {
  const Sandbox sandbox;
  const auto check = [&](const std::string& arguments, const std::string& message) {
    INFO(arguments);
    const Result result = sandbox.train("--quiet " + arguments);
    CHECK(result.code == 2);
    test::check_one_line(result);
    CHECK_THAT(result.error, Contains(message));
  };
  check("--mask k_hops:2", "model.mask: expected one of edges, k_hop:k, complete, band:w, ");
  check("--mask k_hops:2", "got \"k_hops:2\" (did you mean \"k_hop\"?)");
  check("--mask k_hop", "expected k_hop:k with an integer from 1 to 64, got \"k_hop\"");
  check("--mask readout", "the mask \"readout\" is for the rows of \"graphs\"");
  const Result without =
      sandbox.run("train " + std::string(Sandbox::kFiles) + "--label buys --model gcn --mask k_hop:2 --quiet");
  CHECK(without.code == 2);
  test::check_one_line(without);
  CHECK_THAT(without.error, Contains("unknown member \"mask\"") && Contains("for the model \""));
}

TEST_CASE("attention is measured over the mask of a rule", "[apps][masks][bench]") {
  const Sandbox sandbox;
  const std::string tiny = "bench attention --threads 1 --repeats 2 --time 0.001 --quiet --json ";
  const json::Value band = sandbox.run(tiny + "--mask band:2 --nodes 16,40 --html b.html").json();
  CHECK(band.at("graph") == json::Value("band:2"));
  REQUIRE(band.at("rows").as_array().size() == 4);
  CHECK(band.at("rows").as_array()[0].at("edges") == json::Value(16 * 5 - 6));
  CHECK(band.at("rows").as_array()[2].at("edges") == json::Value(40 * 5 - 6));
  CHECK(band.at("crossovers").as_array().empty());
  sandbox.write("path.csv", "source,target\na,b\nb,c\nc,d\n");
  const json::Value path = sandbox.run(tiny + "--mask k_hop:2 --edges path.csv").json();
  CHECK(path.at("graph") == json::Value("path.csv, k_hop:2"));
  CHECK(path.at("rows").as_array()[0].at("edges") == json::Value(10));
  const json::Value random = sandbox.run(tiny + "--mask k_hop:2 --nodes 30 --density 0.05,0.2").json();
  CHECK(random.at("rows").as_array().size() == 4);
  const Result wrong = sandbox.run(tiny + "--mask bnd:2");
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.error, Contains("--mask: expected one of") && Contains("did you mean \"band\"?"));
  const Result large = sandbox.run(tiny + "--mask complete --nodes 4096 --max-memory 0.01");
  CHECK(large.code == 2);
  CHECK_THAT(large.error, Contains("mask complete: more than"));
}
