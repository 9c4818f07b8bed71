// Frozen networks of several kinds of nodes on the command line.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>
#include <string>

#include "ranks.hpp"
#include "sandbox.hpp"
#include "shop.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

namespace {

/// Of the third columns of two files of predictions whose lines are in the same order.
double largest_difference(const std::string& one, const std::string& other) {
  std::istringstream lines(one), other_lines(other);
  std::string line, other_line;
  std::getline(lines, line);
  std::getline(other_lines, other_line);
  double largest = test::lines_of(one) == test::lines_of(other) ? 0 : 1;
  const auto third = [](const std::string& text) {
    return std::stod(text.substr(text.find(',', text.find(',') + 1) + 1));
  };
  while (std::getline(lines, line) && std::getline(other_lines, other_line)) {
    CHECK(line.substr(0, line.find(',')) == other_line.substr(0, other_line.find(',')));
    largest = std::max(largest, std::abs(third(line) - third(other_line)));
  }
  return largest;
}

}  // namespace

TEST_CASE("a frozen network of kinds is trained and used as its tables are", "[apps][kinds][freeze]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  const std::string freeze = fmt::format("data freeze {}--label people.churned --out net.edgewise ", test::kShop);
  const std::string model = GENERATE("rgcn --dropout 0", "hgt --dropout 0", "sage --dropout 0",
                                     "rgat --sample 3,2 --batch-size 64", "rgcn --sample 3,2 --batch-size 64");
  INFO(model);
  const std::string train = fmt::format("--model {} --threads 1 --seed 1 --epochs 10 --quiet ", model);
  const auto predictions = [&](const std::string& of) {
    const Result trained = sandbox.run(fmt::format("train {} {}--out m.safetensors", of, train));
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    const Result predicted = sandbox.run("predict m.safetensors --out p.csv");
    INFO(predicted.error);
    REQUIRE(predicted.code == 0);
    return sandbox.read("p.csv");
  };
  // In one part the nodes are in the order of the tables.
  REQUIRE(sandbox.run(freeze + "--parts 1").code == 0);
  const std::string of_tables = predictions(fmt::format("{}--label people.churned", test::kShop));
  CHECK(largest_difference(predictions("net.edgewise"), of_tables) < 1e-5);
  REQUIRE(sandbox.run(freeze + "--parts 4 --quiet").code == 0);
  const Result inspected = sandbox.run("inspect net.edgewise");
  CHECK(inspected.code == 0);
  CHECK_THAT(inspected.out, Contains("340 nodes of 2 kinds") && Contains("people buys products"));
  const std::string of_parts = predictions("net.edgewise");
  CHECK(test::lines_of(of_parts) == 301);
  CHECK_THAT(of_parts, Contains("\n300,") && !Contains("people:"));
  CHECK(sandbox.run("evaluate m.safetensors net.edgewise").code == 0);
  // The model reads tables, too.
  const Result read = sandbox.run(fmt::format("predict m.safetensors {}--out t.csv", test::kShop));
  INFO(read.error);
  CHECK(read.code == 0);
  CHECK(sandbox.shell("sort p.csv | cut -d, -f1,2 > a && sort t.csv | cut -d, -f1,2 > b && cmp a b").code == 0);
  const Result other = sandbox.run("predict m.safetensors --nodes people=shop/people.csv "
                                   "--edges people:views:people=shop/friends.csv --out t.csv");
  CHECK(other.code == 4);
  CHECK_THAT(other.error, Contains("trained on the relations people:buys:products, people:knows:people"));
}

TEST_CASE("products are recommended in a frozen network", "[apps][kinds][freeze]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  REQUIRE(sandbox.run(fmt::format("data freeze {}--label people.churned --out net.edgewise", test::kShop)).code == 0);
  const Result trained = sandbox.run(
      "train net.edgewise --task links --relation people:buys:products --model link_trees --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const Result predicted = sandbox.run("predict m.safetensors --top 2 --out p.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  CHECK(test::lines_of(sandbox.read("p.csv")) == 601);
  CHECK(sandbox.run("evaluate m.safetensors net.edgewise").code == 0);
}

TEST_CASE("ties are learnt from the first kind of a frozen network, or one line says how", "[apps][kinds][freeze]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  const std::string freeze = fmt::format("data freeze {}--out net.edgewise --quiet ", test::kShop);
  const std::string train = "train net.edgewise --task links --relation people:buys:products --model katz --quiet";
  REQUIRE(sandbox.run(freeze + "--label products.category").code == 0);
  const Result refused = sandbox.run(train);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.error, Contains("was frozen with products first; freeze it without labels and with --set "
                                     "data.label_kind=people"));
  REQUIRE(sandbox.run(freeze + "--set data.label_kind=people").code == 0);
  CHECK(sandbox.run(train).code == 0);
}

TEST_CASE("processes train on a frozen network of kinds as one does", "[apps][kinds][freeze]") {
  const Sandbox sandbox;
  if (!test::has_mpi(sandbox)) {
    WARN("no mpirun: ranks are not tested");
    return;
  }
  test::generate_shop(sandbox);
  const std::string freeze = fmt::format("data freeze {}--label people.churned --out net.edgewise ", test::kShop);
  REQUIRE(sandbox.run(freeze + "--parts 5").code == 0);
  const std::string model = GENERATE("rgcn", "rgat", "hgt", "rgat --sample 3,2 --batch-size 64");
  INFO(model);
  const std::string job = fmt::format("train net.edgewise --model {} --threads 1 --epochs 10 --quiet --out ", model);
  REQUIRE(sandbox.run(job + "one.safetensors").code == 0);
  const Result shared = sandbox.shell(test::on_ranks(2, job + "two.safetensors"));
  INFO(shared.error);
  REQUIRE(shared.code == 0);
  CHECK(sandbox.read("one.safetensors") == sandbox.read("two.safetensors"));
}

TEST_CASE("what a frozen network of kinds cannot be is one line", "[apps][kinds][freeze]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  const auto [flags, message] = GENERATE(table<std::string, std::string>(
      {{"--label people.churned --memory 1K", "edges do not fit the memory (--memory)"},
       {"--task links --relation people:buys:products", "links is for training on a frozen network"}}));
  const Result frozen = sandbox.run(fmt::format("data freeze {}{} --out net.edgewise", test::kShop, flags));
  CHECK(frozen.code == 2);
  CHECK_THAT(frozen.error, Contains(message));
}
