#include "edgewise/core/parallel.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <vector>

#include "edgewise/core/error.hpp"

using namespace edgewise;

TEST_CASE("parallel_for covers each index once", "[core][parallel]") {
  const std::size_t count = GENERATE(0, 1, 7, 64, 65, 1000);
  std::vector<int> visits(count, 0);
  parallel_for(count, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++visits[i];
  });
  CHECK(visits == std::vector<int>(count, 1));
}

TEST_CASE("an exception leaves the parallel region", "[core][parallel]") {
  CHECK_THROWS_AS(parallel_chunks(100, [](std::size_t chunk) { if (chunk == 50) throw std::domain_error("50"); }),
                  std::domain_error);
}

TEST_CASE("the number of threads is at least one", "[core][parallel]") {
  CHECK_THROWS_AS(set_threads(0), UsageError);
  CHECK(threads() >= 1);
}
