// Whatever is read may come from a pipe or from standard input, and gives what the file would.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

namespace {

/// Alcohols, more than a reader takes at once.
std::string alcohols(std::size_t count, const char* form) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format(fmt::runtime(form), std::string(1 + i % 40, 'C') + "O", i % 40, i);
  return text;
}

/// Sandbox::run with bash, which has <(...).
Result bash(const Sandbox& sandbox, const std::string& arguments) {
  sandbox.write("run.sh", Sandbox::kBinary + arguments + "\n");
  return sandbox.shell("bash run.sh");
}

Result checked(Result result) {
  INFO(result.error);
  CHECK(result.code == 0);
  return result;
}

}  // namespace

TEST_CASE("molecules to predict come from a pipe", "[apps][pipes]") {
  const Sandbox sandbox;
  sandbox.write("known.csv", "smiles,y\n" + alcohols(60, "{0},{1}\n"));
  REQUIRE(sandbox.run("train --molecules known.csv --target y --model fingerprint --out m.safetensors").code == 0);
  sandbox.write("lib.csv", "smiles,name\n" + alcohols(3000, "{0},a{2}\n"));
  sandbox.write("lib.smi", alcohols(3000, "{0} a{2}\n"));
  const std::string predict = "predict m.safetensors --out - --molecules ";
  const std::string of_csv = checked(sandbox.run(predict + "lib.csv")).out,
                    of_smi = checked(sandbox.run(predict + "lib.smi")).out;
  CHECK(test::lines_of(of_csv) == 3001);
  CHECK(test::lines_of(of_smi) == 3001);
  CHECK(checked(bash(sandbox, predict + "<(cat lib.csv)")).out == of_csv);
  CHECK(checked(bash(sandbox, predict + "<(gzip -c lib.csv)")).out == of_csv);
  CHECK(checked(bash(sandbox, predict + "<(cat lib.smi)")).out == of_smi);
  CHECK(checked(bash(sandbox, predict + "- < lib.csv")).out == of_csv);
  CHECK(checked(bash(sandbox, predict + "/dev/stdin < lib.csv")).out == of_csv);
  CHECK(checked(sandbox.shell("ln -s /dev/stdin in.smi; cat lib.smi | " + Sandbox::kBinary + predict + "in.smi")).out ==
        of_smi);
  CHECK(checked(sandbox.shell("mkfifo fifo; cat lib.csv > fifo & " + Sandbox::kBinary + predict + "fifo")).out ==
        of_csv);
  CHECK(checked(bash(sandbox, "predict <(cat m.safetensors) --out - --molecules lib.csv")).out == of_csv);
}

TEST_CASE("networks, features, splits and configurations come from pipes", "[apps][pipes]") {
  const Sandbox sandbox;
  const auto of = [](const std::string& edges, const std::string& nodes, const std::string& more) {
    return fmt::format("train --edges {} --nodes {} --label buys --model gcn --epochs 3 --threads 1 --quiet "
                       "--predictions p.csv {}", edges, nodes, more);
  };
  REQUIRE(sandbox.run(of("friends.csv", "people.csv", "")).code == 0);
  const std::string expected = sandbox.read("p.csv");
  checked(bash(sandbox, of("<(cat friends.csv)", "<(cat people.csv)", "")));
  CHECK(sandbox.read("p.csv") == expected);
  checked(bash(sandbox, of("-", "people.csv", "< friends.csv")));
  CHECK(sandbox.read("p.csv") == expected);
  REQUIRE(sandbox.run("data split --nodes people.csv --edges friends.csv --label buys --out s.csv").code == 0);
  REQUIRE(sandbox.run(of("friends.csv", "people.csv", "--split-file s.csv")).code == 0);
  const std::string with_split = sandbox.read("p.csv");
  checked(bash(sandbox, of("friends.csv", "people.csv", "--split-file <(cat s.csv)")));
  CHECK(sandbox.read("p.csv") == with_split);
  sandbox.write("c.json", R"({"data": {"edges": "friends.csv", "nodes": "people.csv", "label": "buys"}})");
  const std::string options = " --model gcn --epochs 1 --threads 1 --quiet --predictions p.csv";
  checked(sandbox.run("train --config c.json" + options));
  const std::string with_config = sandbox.read("p.csv");
  checked(bash(sandbox, "train --config -" + options + " < c.json"));
  CHECK(sandbox.read("p.csv") == with_config);
  sandbox.write("g.gml", "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]\n");
  CHECK_THAT(checked(bash(sandbox, "inspect --graph <(cat g.gml)")).out, Contains("2 nodes"));
  sandbox.write("w.tsv", "a\tb\nc\td\n");
  CHECK_THAT(checked(bash(sandbox, "inspect --pairs - < w.tsv")).out, Contains("2 pairs"));
}

TEST_CASE("standard input is one thing", "[apps][pipes]") {
  const Sandbox sandbox;
  const Result twice = sandbox.run("inspect --edges - --nodes - < people.csv");
  CHECK(twice.code == 2);
  check_one_line(twice);
  CHECK_THAT(twice.error, Contains("--edges and --nodes: both are read from standard input (-)"));
  const Result requests = sandbox.run("serve - < people.csv");
  CHECK(requests.code == 2);
  CHECK_THAT(requests.error, Contains("standard input (-) is for the requests"));
  REQUIRE(sandbox.shell(Sandbox::kBinary + "train --edges - --nodes people.csv --label buys --model gcn --epochs 1 "
                        "--out m.safetensors < friends.csv").code == 0);
  const Result later = sandbox.run("predict m.safetensors < friends.csv");
  CHECK(later.code == 2);
  CHECK_THAT(later.error, Contains("trained on what came from standard input: give --edges"));
}
