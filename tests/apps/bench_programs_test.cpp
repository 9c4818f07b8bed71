#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <string>

#include "apps/sandbox.hpp"
#include "edgewise/io/safetensors.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::lines_of;
using test::Result;
using test::Sandbox;

namespace {

const std::string kFolder = EDGEWISE_PROGRAMS "/";

}  // namespace

TEST_CASE("benchmark programs end with one line and an exit code", "[apps][bench]") {
  const Sandbox sandbox;
  sandbox.write("empty", "");
  sandbox.write("random", std::string(200, '\x7f'));
  sandbox.write("friends.json", R"({"data": {"edges": "friends.csv", "nodes": "people.csv", "label": "buys"}})");
  struct Case {
    std::string program, arguments;
    int code;
    std::string message;
  };
  for (const Case& c : {Case{"bench_molecules", "nowhere.csv", 3, "nowhere.csv"},
                        Case{"bench_molecules", "", 2, "usage: "},
                        Case{"bench_sequences", "", 2, "usage: "},
                        Case{"bench_sampling", "", 2, "usage: "},
                        Case{"bench_sampling", "2000 8 1 2", 2, "a batch for each step"},
                        Case{"bench_sequences", "nowhere.json 2 1", 3, "nowhere.json"},
                        Case{"bench_sequences", "friends.json 2 1", 2, "expected a collection"},
                        Case{"bench_kernels", "--threads none", 2, "--threads"},
                        Case{"bench_molecules", "friends.csv none", 2, "THREADS: expected an integer"},
                        Case{"bench_molecules", "friends.csv", 3, "friends.csv"},
                        Case{"bench_reading", "nowhere.csv", 3, "nowhere.csv: cannot be opened"},
                        Case{"bench_reading", "", 2, "usage: "},
                        Case{"bench_reading", "friends.csv 0", 2, "ROUNDS: "},
                        Case{"bench_training", "0", 2, "THREADS: "},
                        Case{"bench_training", "1 many", 2, "NODES: "},
                        Case{"bench_training", "--reorder backwards 1 100", 2, "backwards"},
                        Case{"bench_attention_layer", "nowhere gat forward 1", 3, "nowhere: cannot be opened"},
                        Case{"bench_attention_layer", "empty gat forward 1", 3, "empty: not a graph"},
                        Case{"bench_attention_layer", "random gat forward 1", 3, "random: not a graph"},
                        Case{"bench_attention_layer", "empty gat backward 1", 2, "PASS: "},
                        Case{"bench_attention_layer", "--write no/such/file 10 2", 3, "no/such/file"},
                        Case{"bench_attention_layer", "", 2, "usage: "}}) {
    INFO(c.program << ' ' << c.arguments);
    const Result result = sandbox.shell("'" + kFolder + c.program + "' " + c.arguments);
    CHECK(result.code == c.code);
    CHECK(lines_of(result.error) == 1);
    CHECK_THAT(result.error, StartsWith(c.program + ": ") && Contains(c.message));
  }
}

TEST_CASE("training steps on sequences are timed, and written for other programs", "[apps][bench]") {
  const Sandbox sandbox;
  std::string words = "sentence,place,word,tag\n";
  for (int sentence = 0; sentence < 90; ++sentence)
    for (int place = 0; place < 2 + sentence % 3; ++place)
      words += fmt::format("{},{},w{},{}\n", sentence, place, (sentence + place) % 40, place % 2);
  sandbox.write("words.csv", words);
  sandbox.write("words.json", R"({"data": {"nodes": "words.csv", "graph_column": "sentence", "order": "place",
                                           "label": "tag", "token_columns": ["word"]}})");
  const std::string program = "'" + kFolder + "bench_sequences' ";
  const Result timed = sandbox.shell("printf 'round\\nround\\n' | " + program + "words.json 2 1");
  INFO(timed.error);
  REQUIRE(timed.code == 0);
  CHECK(lines_of(timed.out) == 2);
  CHECK_THAT(timed.out, Contains("\"step_ms\":") && Contains("\"update_ms\":"));
  REQUIRE(sandbox.shell(program + "--write steps.safetensors words.json 1").code == 0);
  const io::Safetensors steps = io::read_safetensors(sandbox.path("steps.safetensors").string());
  const io::Tensor* sizes = steps.find("0.sizes");
  REQUIRE(sizes != nullptr);
  const float nodes = std::accumulate(sizes->values.begin(), sizes->values.end(), 0.0F);
  CHECK(steps.find("0.labels")->values.size() == static_cast<std::size_t>(nodes));
  CHECK(steps.find("0.entries")->values.size() == static_cast<std::size_t>(nodes));
  CHECK(steps.find("loss")->values.front() == Approx(std::log(2)).margin(0.7));
}

TEST_CASE("training steps over samples are timed, and their network is written for other programs", "[apps][bench]") {
  const Sandbox sandbox;
  const std::string program = "'" + kFolder + "bench_sampling' ";
  const Result timed = sandbox.shell("printf 'round\\nround\\n' | " + program + "3000 8 2 2");
  INFO(timed.error);
  REQUIRE(timed.code == 0);
  CHECK(lines_of(timed.out) == 2);
  CHECK_THAT(timed.out, Contains("\"step_ms\":") && Contains("\"draw_ms\":"));
  REQUIRE(sandbox.shell(program + "--write network.safetensors 100 4").code == 0);
  const io::Safetensors network = io::read_safetensors(sandbox.path("network.safetensors").string());
  CHECK(*network.find_metadata("nodes") == "100");
  REQUIRE(network.find("sources") != nullptr);
  CHECK(network.find("sources")->values.size() == network.find("targets")->values.size());
  CHECK(network.find("sources")->values.size() > 300);
}
