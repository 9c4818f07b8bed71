// Counts on the command line.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>
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

/// How often a machine fails: Poisson, at a rate that follows from its age and those of its neighbours on a ring.
int failures_of(double age, Random& random) {
  const double limit = std::exp(-std::exp(0.1 * age - 1));
  int count = -1;
  for (double product = 1; product > limit; ++count) product *= random.uniform(0, 1);
  return count;
}

void write_machines(const Sandbox& sandbox, const std::string& last = "") {
  constexpr int kMachines = 240;
  Random random(3, Stream::generate);
  std::string machines = "id,age,failures\n", links = "from,to\n";
  for (int i = 0; i < kMachines; ++i) {
    const auto age = static_cast<double>(random.below(36));
    machines += fmt::format("m{},{},{}\n", i, age, failures_of(age, random));
    links += fmt::format("m{},m{}\n", i, (i + 1) % kMachines);
  }
  sandbox.write("machines.csv", machines + last);
  sandbox.write("links.csv", links);
}

constexpr const char* kCountJob = "--edges links.csv --nodes machines.csv --label failures --task counts --threads 1 ";

/// The numbers of a column of a table of predictions.
std::vector<double> column_of(const Sandbox& sandbox, const std::string& file, const std::string& name) {
  std::istringstream lines(sandbox.read(file));
  std::vector<double> numbers;
  std::size_t place = 0;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream cells_of(line);
    for (std::string cell; std::getline(cells_of, cell, ',');) cells.push_back(cell);
    if (numbers.empty() && place == 0) {
      const auto found = std::ranges::find(cells, name);
      REQUIRE(found != cells.end());
      place = static_cast<std::size_t>(found - cells.begin());
      continue;
    }
    numbers.push_back(std::stod(cells.at(place)));
  }
  return numbers;
}

}  // namespace

TEST_CASE("counts are trained, saved, predicted and evaluated", "[apps][counts]") {
  const Sandbox sandbox;
  write_machines(sandbox);
  for (const std::string model :
       {"mlp --epochs 60 --patience 60 --learning-rate 0.02", "boosted_trees", "neighbour_trees"}) {
    INFO(model);
    const Result trained = sandbox.run(fmt::format(
        "train {}--model {} --out m.safetensors --predictions t.csv --report t.html --json", kCountJob, model));
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    const json::Value test = trained.json().at("test");
    const double deviance = test.at("deviance").at("mean").as_number();
    CHECK(deviance > 0);
    CHECK(deviance < 2);  // about 1 at the true rates, and 4 at their mean
    CHECK(test.at("r2").at("mean").as_number() > 0.2);
    CHECK_THAT(sandbox.read("t.html"), Contains("deviance"));
    REQUIRE(sandbox.run("predict m.safetensors --intervals 0.8 --out p.csv --threads 2").code == 0);
    CHECK(column_of(sandbox, "p.csv", "failures") == column_of(sandbox, "t.csv", "failures"));
    for (const char* name : {"failures", "lower_failures", "upper_failures", "std_failures"})
      for (const double number : column_of(sandbox, "p.csv", name)) CHECK(number >= 0);
    const Result measured = sandbox.run("evaluate m.safetensors --json");
    REQUIRE(measured.code == 0);
    CHECK(measured.json().at("metrics").at("deviance").as_number() == Approx(deviance));
    const json::Value held = measured.json().at("coverage").as_array().at(0);
    CHECK(held.at("held").as_number() > 0.7);
  }
}

TEST_CASE("counts have their models in auto and compare", "[apps][counts]") {
  const Sandbox sandbox;
  write_machines(sandbox);
  const Result chosen = sandbox.run(fmt::format("train {}--epochs 3 --out m.safetensors --json", kCountJob));
  INFO(chosen.error);
  REQUIRE(chosen.code == 0);
  CHECK(chosen.json().at("choice").at("metric") == json::Value("deviance"));
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
  const Result compared = sandbox.run(fmt::format("compare {}--models boosted_trees,gcn --epochs 3 --json", kCountJob));
  INFO(compared.error);
  CHECK(compared.code == 0);
  CHECK_THAT(sandbox.shell("echo '{\"nodes\":[\"m3\"]}' | " + Sandbox::kBinary + "serve m.safetensors").out,
             Contains("\"predicted\":{\"failures\":"));
}

TEST_CASE("what is no count, and what does not fit counts, is said in one line", "[apps][counts]") {
  const Sandbox sandbox;
  const auto refused = [&](const std::string& arguments, int code, const std::string& problem) {
    const Result result = sandbox.run(fmt::format("train {}{}", kCountJob, arguments));
    INFO(arguments);
    CHECK(result.code == code);
    CHECK(result.out.empty());
    const std::size_t last = result.error.rfind("edgewise: ");
    REQUIRE(last != std::string::npos);
    CHECK(test::lines_of(result.error.substr(last)) == 1);
    CHECK_THAT(result.error.substr(last), Contains(problem));
  };
  write_machines(sandbox);
  refused("--model gcn --loss huber", 2, "\"huber\" is for regression, not for counts");
  refused("--model gcn --class-weights balanced", 2, "counts have no classes");
  refused("--model gcn --relation age", 2, "counts cannot be learnt from bounds");
  refused("--model sum_features", 2, "counts need a network or boosted trees");
  for (const char* cell : {"1.5", "-2"}) {
    write_machines(sandbox, fmt::format("m240,3,{}\n", cell));
    refused(
        "--model gcn", 3,
        fmt::format("machines.csv:242: column \"failures\": expected a whole number of at least 0, got \"{}\"", cell));
  }
  write_machines(sandbox, "m240,3,many\n");
  refused("--model gcn", 3, "machines.csv:242");
}
