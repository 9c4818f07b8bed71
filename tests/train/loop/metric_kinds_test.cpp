#include "edgewise/train/loop/metric_kinds.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"

using namespace edgewise;

TEST_CASE("is_better compares two metrics", "[train][metric_kinds]") {
  const double nothing = std::nan("");
  CHECK(train::is_better("accuracy", 0.9, 0.8));
  CHECK_FALSE(train::is_better("accuracy", 0.8, 0.8));
  CHECK(train::is_better("rmse", 0.8, 0.9));
  for (const char* metric : {"roc_auc", "rmse"}) {
    CHECK(train::is_better(metric, 0.1, nothing));
    CHECK_FALSE(train::is_better(metric, nothing, 0.1));
    CHECK_FALSE(train::is_better(metric, nothing, nothing));
  }
  CHECK(train::is_share("macro_f1"));
  CHECK_FALSE(train::is_share("r2"));
  CHECK_FALSE(train::is_share("mae"));
}

TEST_CASE("every metric has a direction, and there are no others", "[train][metric_kinds]") {
  for (const char* metric : {"accuracy", "f1", "macro_f1", "micro_f1", "roc_auc", "average_precision", "r2"})
    CHECK(train::is_larger_better(metric));
  for (const char* metric : {"mae", "rmse", "relative_rmse"}) CHECK_FALSE(train::is_larger_better(metric));
  CHECK_THROWS_AS(train::is_larger_better("max_error"), UsageError);
  CHECK_THROWS_AS(train::is_better("max_error", 1, 2), UsageError);
}
