#include "edgewise/report/metric_text.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace edgewise;
using namespace edgewise::report;

TEST_CASE("a metric shows digits whatever its size", "[report][metric_text]") {
  CHECK(format_metric(0.831) == "0.8310");
  CHECK(format_metric(0) == "0.0000");
  CHECK(format_metric(4321.06) == "4321.1");
  CHECK(format_metric(4321000.6) == "4321001");
  CHECK(format_metric(4.68e-39) == "4.68e-39");
  CHECK(format_metric(-4.68e37) == "-4.68e+37");
  CHECK(format_metric(std::numeric_limits<double>::quiet_NaN()) == "-");
}

TEST_CASE("a mean and its spread have the same decimals", "[report][metric_text]") {
  const auto summary = [](double mean, double std) {
    return json::Value(json::Object{{"mean", mean}, {"std", std}, {"values", json::Array{mean, mean}}});
  };
  CHECK(format_summary(summary(0.831, 0.007)) == "0.8310 ± 0.0070");
  CHECK(format_summary(summary(4321.06, 0.07)) == "4321.1 ± 0.1");
  CHECK(format_summary(summary(2e-6, 3e-7)) == "2e-06 ± 3e-07");
}

TEST_CASE("a difference has its sign", "[report][metric_text]") {
  CHECK(format_difference(0.012) == "+0.0120");
  CHECK(format_difference(-0.012) == "-0.0120");
  CHECK(format_difference(std::numeric_limits<double>::quiet_NaN()) == "-");
}
