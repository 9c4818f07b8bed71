#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

TEST_CASE("metrics of no nodes are a dash, and no part to ask for", "[apps][evaluate]") {
  const Sandbox sandbox;
  const Result result =
      sandbox.train("--epochs 2 --split random --train-share 1 --validation-share 0 --out m.safetensors");
  CHECK(result.code == 0);
  CHECK_THAT(result.error + result.out, !Contains("nan"));
  CHECK(sandbox.run("evaluate m.safetensors --part none").code == 2);
}
