#include "edgewise/train/use/freeze.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;

TEST_CASE("more edges than have numbers are taken if these do not matter", "[train][freeze]") {
  constexpr std::uint64_t kMost = 4'294'967'295;
  train::DataConfig config;
  config.edges = "follows.csv";
  CHECK_NOTHROW(train::check_edges_in_passes(config, kMost + 1, false));
  CHECK_NOTHROW(train::check_edges_in_passes(config, kMost, true));
  CHECK_THROWS_WITH(train::check_edges_in_passes(config, kMost + 1, true),
                    Catch::StartsWith("follows.csv: expected at most 4294967295 edges"));
  config.duplicates = train::Duplicates::refuse;
  CHECK_THROWS_AS(train::check_edges_in_passes(config, kMost + 1, false), DataError);
}
