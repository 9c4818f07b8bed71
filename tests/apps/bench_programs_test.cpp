#include <catch2/catch.hpp>

#include <string>

#include "apps/sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::Sandbox;
using test::lines_of;
using test::Result;

namespace {

const std::string kFolder = EDGEWISE_PROGRAMS "/";

}  // namespace

TEST_CASE("benchmark programs end with one line and an exit code", "[apps][bench]") {
  const Sandbox sandbox;
  sandbox.write("empty", "");
  sandbox.write("random", std::string(200, '\x7f'));
  struct Case {
    std::string program, arguments;
    int code;
    std::string message;
  };
  for (const Case& c : {Case{"bench_molecules", "nowhere.csv", 3, "nowhere.csv"},
                        Case{"bench_molecules", "", 2, "usage: "},
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
