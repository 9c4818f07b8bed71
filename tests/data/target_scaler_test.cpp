#include "edgewise/data/target_scaler.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using data::TargetScaler;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Matrix targets() {
  Matrix values(4, 2);
  values << 1, 5, 3, 5, kNaN, 5, 100, 7;
  return values;
}

}  // namespace

TEST_CASE("scaler uses the training rows only", "[data][target_scaler]") {
  const std::vector<graph::Node> train = {0, 1, 2};
  const TargetScaler scaler = TargetScaler::fit(targets(), train);  // means 2 and 5; the second is constant
  const Matrix scaled = scaler.transform(targets());
  CHECK(scaled(0, 0) == -1);
  CHECK(scaled(1, 0) == 1);
  CHECK(std::isnan(scaled(2, 0)));
  CHECK(scaled(3, 0) == 98);
  CHECK(scaled(3, 1) == Approx(2.0 / 5));  // in units of the mean
  CHECK(scaler.restore(scaled).col(1) == targets().col(1));
}

TEST_CASE("a default scaler changes nothing, and another number of columns is refused", "[data][target_scaler]") {
  CHECK(TargetScaler().restore(targets()).col(1) == targets().col(1));
  CHECK(TargetScaler().transform(targets()).col(1) == targets().col(1));
  const TargetScaler scaler = TargetScaler::fit(targets(), std::vector<graph::Node>{0, 1});
  CHECK_THROWS_AS(scaler.restore(targets().leftCols(1)), UsageError);
  CHECK_THROWS_AS(scaler.transform(targets().leftCols(1)), UsageError);
}

TEST_CASE("scaler needs a known target", "[data][target_scaler]") {
  CHECK_THROWS_WITH(TargetScaler::fit(targets(), std::vector<graph::Node>{2}),
                    Catch::Matchers::Contains("no training node has a value"));
  CHECK_THROWS_AS(TargetScaler::fit(targets(), {}), DataError);
}

TEST_CASE("scaler is restored from JSON", "[data][target_scaler]") {
  const TargetScaler scaler = TargetScaler::fit(targets(), std::vector<graph::Node>{0, 1, 3});
  const TargetScaler again = TargetScaler::from_json(json::parse(json::dump(scaler.to_json()), "m"));
  CHECK(again.transform(targets()).col(1) == scaler.transform(targets()).col(1));
  CHECK_THROWS_AS(TargetScaler::from_json(json::parse(R"({"mean": [1], "deviation": [0]})", "m")), ModelError);
  CHECK_THROWS_AS(TargetScaler::from_json(json::parse(R"({"mean": [1], "deviation": [1, 2]})", "m")), ModelError);
  CHECK_THROWS_AS(TargetScaler::from_json(json::parse(R"({"mean": "x"})", "m")), ModelError);
  CHECK_THROWS_AS(TargetScaler::from_json(json::parse(R"([])", "m")), ModelError);
}

TEST_CASE("scaler refuses nodes without a row", "[data][target_scaler]") {
  const std::vector<graph::Node> beyond = {0, 4};
  CHECK_THROWS_AS(TargetScaler::fit(targets(), beyond), UsageError);
}

TEST_CASE("a scaler of sizes divides by them", "[data][target_scaler]") {
  const auto scaler = TargetScaler::of_sizes({4, 0.5});
  Matrix targets(1, 2);
  targets << 2, 2;
  Matrix scaled(1, 2);
  scaled << 0.5F, 4;
  CHECK(scaler.transform(targets) == scaled);
  CHECK(scaler.restore(scaled) == targets);
}
