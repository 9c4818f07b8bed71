#include "edgewise/data/value_range.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using data::ValueRange;

namespace {

std::vector<double> powers(double base, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(std::pow(base, i));
  return values;
}

}  // namespace

TEST_CASE("values beyond a range by more than its width are far", "[data][value_range]") {
  const std::optional<ValueRange> ages = ValueRange::fit(std::vector<double>{16, 20, 30, 40, 50, 60, 70, 90});
  REQUIRE(ages);
  CHECK_FALSE(ages->has_heavy_tails);
  for (const double near : {16.0, 90.0, 164.0, -58.0}) CHECK_FALSE(ages->is_far(near));
  for (const double far : {165.0, -59.0, 3000.0}) CHECK(ages->is_far(far));
  CHECK_FALSE(ages->is_far(std::numeric_limits<double>::quiet_NaN()));
  CHECK_FALSE(ValueRange::fit(std::vector<double>{1, 2, 3}));  // too few
  CHECK_FALSE(ValueRange::fit(std::vector<double>(20, 5)));    // all equal
}

TEST_CASE("heavy tails reach further", "[data][value_range]") {
  const std::optional<ValueRange> amounts = ValueRange::fit(powers(2, 24));
  REQUIRE(amounts);
  REQUIRE(amounts->has_heavy_tails);
  CHECK_FALSE(amounts->is_far(std::pow(2, 26)));
  CHECK(amounts->is_far(std::pow(2, 37)));
}

TEST_CASE("the farthest value is kept", "[data][value_range]") {
  const ValueRange range{0, 10};
  data::FarValues far;
  for (const double value : {5.0, 21.0, -200.0, 100.0})
    far.add(value, static_cast<std::size_t>(std::abs(value)), range);
  CHECK(far.rows == 3);
  CHECK(far.row == 200);
  CHECK(to_string(far, range, "row 7") ==
        "3 values are far outside of those in training, which are 0 to 10; the farthest is -200 (row 7)");
}

TEST_CASE("values that are all outside of the range are odd, though none is far", "[data][value_range]") {
  const ValueRange range{20, 90};
  data::FarValues far;
  for (std::size_t row = 0; row < 12; ++row) far.add(0.02 + 0.001 * static_cast<double>(row), row, range);
  CHECK(far.rows == 0);
  CHECK(far.are_odd());
  CHECK_THAT(to_string(far, range, "row 7"),
             Catch::Matchers::Contains("all 12 values are outside of those in training"));
  far.add(30, 12, range);
  CHECK_FALSE(far.are_odd());
}

TEST_CASE("a range is restored from JSON", "[data][value_range]") {
  const ValueRange range{-1, 2.5, true};
  const ValueRange again = ValueRange::from_json(json::parse(json::dump(range.to_json()), "m"));
  CHECK((again.smallest == -1 && again.largest == 2.5 && again.has_heavy_tails));
  for (const char* text : {"{}", R"({"smallest": 2, "largest": 1, "heavy_tails": false})"})
    CHECK_THROWS_AS(ValueRange::from_json(json::parse(text, "m")), UsageError);
}
