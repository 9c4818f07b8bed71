#include "edgewise/data/column_scaler.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using data::ColumnScaler;

namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Rows 0 to 3 are training rows.
Matrix table() {
  Matrix values(6, 4);
  values << 0, 7, 100, kNone, /**/ 1, 7, -100, kNone, /**/ 3, 7, kNone, kNone, /**/ 7, 7, kInfinity, kNone,
      /**/ 1e9F, 8, 0, 5, /**/ kNone, kNone, kInfinity, -kInfinity;
  return values;
}

}  // namespace

TEST_CASE("columns of any unit are scaled by their training rows", "[data][column_scaler]") {
  const std::vector<graph::Node> train = {0, 1, 2, 3};
  const Matrix scaled = ColumnScaler::fit(table(), train).apply(table());
  REQUIRE(scaled.allFinite());
  CHECK(scaled.col(0).head(4).sum() == Approx(0).margin(1e-6));
  CHECK(scaled.col(0).head(4).squaredNorm() == Approx(4));
  // log(1 + x) of 0, 1, 3, 7 is 0, 1, 2, 3 times log 2: equal steps.
  CHECK(scaled(1, 0) - scaled(0, 0) == Approx(scaled(3, 0) - scaled(2, 0)));
  CHECK(scaled(4, 0) == 5);       // far outside the training range
  CHECK(scaled(5, 0) == 0);       // unknown: the mean
  CHECK(scaled.col(1).isZero());  // constant in training
  CHECK(scaled(0, 2) == Approx(1));
  CHECK(scaled(1, 2) == Approx(-1));
  CHECK(scaled(4, 2) == Approx(0).margin(1e-6));
  CHECK(scaled.col(3).isZero());  // unknown in training
}

TEST_CASE("a column scaler is restored from its JSON, and invalid JSON is refused", "[data][column_scaler]") {
  const std::vector<graph::Node> train = {0, 1, 2, 3};
  const ColumnScaler scaler = ColumnScaler::fit(table(), train);
  CHECK(ColumnScaler::from_json(scaler.to_json()).apply(table()) == scaler.apply(table()));
  CHECK_THROWS_AS(scaler.apply(table().leftCols(3)), ModelError);
  CHECK_THROWS_AS(ColumnScaler::from_json(json::parse(R"({"mean": [1], "scale": []})", "t")), ModelError);
  CHECK_THROWS_AS(ColumnScaler::from_json(json::parse(R"({"mean": [1], "scale": [-1]})", "t")), ModelError);
  CHECK_THROWS_AS(ColumnScaler::from_json(json::parse(R"({"mean": [1]})", "t")), ModelError);
}

TEST_CASE("columns are not scaled by rows beyond the last", "[data][column_scaler]") {
  const std::vector<graph::Node> beyond = {0, 6};
  CHECK_THROWS_AS(ColumnScaler::fit(table(), beyond), UsageError);
}
