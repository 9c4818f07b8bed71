#include "edgewise/core/clock.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;

TEST_CASE("durations are in seconds, or in milliseconds if said so", "[core][clock]") {
  const Clock::time_point start;
  CHECK(seconds_between(start, start + std::chrono::milliseconds(1500)) == 1.5);
  CHECK(seconds_since(Clock::now() - std::chrono::hours(1)) >= 3600);
  CHECK(milliseconds_since(Clock::now() - std::chrono::hours(1)) >= 3.6e6);
}
