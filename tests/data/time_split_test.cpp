#include "edgewise/data/time_split.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;

namespace {

Labels labels_of(std::size_t items) {
  return {.names = {"a", "b"}, .classes = std::vector<std::int32_t>(items, 0), .targets = {}};
}

io::NodeTable table_of(const std::string& times, const io::ReadAsText& texts = {}) {
  const test::TemporaryDirectory directory;
  directory.write("t.csv", times);
  return io::read_node_table((directory.path() / "t.csv").string(), {.texts = texts});
}

}  // namespace

TEST_CASE("dates are read with times and zones", "[data][time_split]") {
  CHECK(parse_date("1970-01-01") == 0.0);
  CHECK(parse_date("1970-01-02T12:00Z") == 1.5);
  CHECK(parse_date("1970-01-02 06:00:00") == 1.25);
  CHECK(parse_date("1970-01-02T02:00:00.0+02:00") == 1.0);
  CHECK(parse_date("1970-01-02T00:00-0600") == 1.25);
  CHECK(parse_date("2024/02/29") == 19782.0);
  CHECK(parse_date("1971") == 365.0);
  CHECK(parse_date("1970-02") == 31.0);
  for (const char* text : {"", "24", "2023-02-29", "2024-13-01", "31.3.2024", "2024-3-1", "2024-03-31T",
                           "2024-03-31T25:00", "2024-03-31x", "2024-03-31T10:00+", "-024-01-01", "2024 03 31"})
    CHECK_FALSE(parse_date(text).has_value());
}

TEST_CASE("times are numbers or dates", "[data][time_split]") {
  const std::vector<double> numbers = read_times(table_of("id,t\na,1600000001\nb,\nc,1600000002\n", {{"t"}}), "t");
  CHECK(numbers[2] - numbers[0] == 1);  // more digits than a float has
  CHECK(std::isnan(numbers[1]));
  CHECK(read_times(table_of("id,t\na,2001\nb,2000-12-31\n"), "t")[0] ==
        read_times(table_of("id,t\na,2001-01-01\nb,2000-12-31\n"), "t")[0]);
  CHECK_THROWS_WITH(
      read_times(table_of("id,t\na,2024-01-01\nb,yesterday\n"), "t"),
      Contains("t.csv:3: column \"t\": expected a number, or a date such as 2024-03-31, got \"yesterday\""));
  for (const char* text : {"soon", "1e400"})
    CHECK_THROWS_WITH(read_times(table_of(fmt::format("id,t\na,10\nb,20\nc,{}\nd,40\n", text), {{"t"}}), "t"),
                      Contains(fmt::format("t.csv:4: column \"t\": expected a number, or a date such as 2024-03-31, "
                                           "got \"{}\"",
                                           text)));
}

TEST_CASE("the earliest items are trained on and the latest tested", "[data][time_split]") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> times = {9, 1, 1, 1, 4, 5, 5, 8, kNone, 2};
  const Split split = time_split(labels_of(times.size()), times, {.train = 0.6, .validation = 0.2, .test = 0.2});
  CHECK(split == Split{Role::test, Role::train, Role::train, Role::train, Role::train, Role::validation,
                       Role::validation, Role::test, Role::none, Role::train});
  // items of one time are never apart, whatever the shares
  const std::vector<double> few = {1, 1, 1, 1, 1, 1, 1, 2, 3};
  CHECK(time_split(labels_of(few.size()), few, {.train = 0.3, .validation = 0.3, .test = 0.4}) ==
        Split{Role::train, Role::train, Role::train, Role::train, Role::train, Role::train, Role::train,
              Role::validation, Role::test});
  const std::vector<double> two = {1, 2};
  CHECK(time_split(labels_of(2), two, {.train = 0.8, .validation = 0, .test = 0.2}) == Split{Role::train, Role::test});
  CHECK_THROWS_WITH(time_split(labels_of(2), two, {}), Contains("expected 3 different times or more"));
}

TEST_CASE("items without a label are in no part of a split by time", "[data][time_split]") {
  Labels labels = labels_of(4);
  labels.classes[0] = -1;
  CHECK(time_split(labels, std::vector<double>{0, 1, 2, 3}, {}) ==
        Split{Role::none, Role::train, Role::validation, Role::test});
}
