#include "edgewise/train/config/budget.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using train::seconds_of_budget;

TEST_CASE("a budget is a number and a unit", "[train][budget]") {
  CHECK(seconds_of_budget("--budget", "90s") == 90);
  CHECK(seconds_of_budget("--budget", "0.5m") == 30);
  CHECK(seconds_of_budget("--budget", "2h") == 7200);
  for (const char* text : {"", "10", "m", "10 m", "-1s", "0s", "nans", "infh", "1e400h", "10d", "10mm"}) {
    INFO(text);
    CHECK_THROWS_WITH(seconds_of_budget("training.budget", text),
                      Catch::Contains("training.budget: expected a time such as 90s, 10m or 2h, got \""));
  }
}
