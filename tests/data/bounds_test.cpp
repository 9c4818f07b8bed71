#include "edgewise/data/bounds.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/io/categorical_column.hpp"

using namespace edgewise;

TEST_CASE("relations say on which side a value is", "[data][bounds]") {
  for (const char* text : {">", ">=", ">>", "≥", "'>'", " >= "}) CHECK(data::parse_relation(text) == 1);
  for (const char* text : {"<", "<=", "<<", "≤", "\"<\""}) CHECK(data::parse_relation(text) == -1);
  for (const char* text : {"=", "==", "~", "≈", "'='"}) CHECK(data::parse_relation(text) == 0);
  for (const char* text : {"", "cousin", "><", "'>"}) CHECK_FALSE(data::parse_relation(text).has_value());
}

TEST_CASE("what follows a sign is told from it", "[data][bounds]") {
  const std::optional<data::Related> related = data::parse_related(" >= 5 mM ");
  REQUIRE(related);
  CHECK(related->relation == 1);
  CHECK(related->rest == "5 mM");
  CHECK_FALSE(data::parse_related("5").has_value());
}

TEST_CASE("a column that holds nothing but relations marks bounds", "[data][bounds]") {
  const auto column = [](const std::vector<std::string>& texts) { return io::categorical_column("r", texts); };
  CHECK(data::marks_bounds(column({"=", "", "'<'"})));
  CHECK_FALSE(data::marks_bounds(column({"=", "="})));
  CHECK_FALSE(data::marks_bounds(column({"<", "sister"})));
}

TEST_CASE("cells with signs become bounds", "[data][bounds]") {
  io::Column column = io::categorical_column("y", std::vector<std::string>{"5", ">10", "", "<= 0.1", "~3"});
  REQUIRE(data::take_bounds(column));
  CHECK(column.is_numeric);
  CHECK(column.bounds == std::vector<std::int8_t>{0, 1, 0, -1, 0});
  CHECK(column.numbers[1] == 10);
  CHECK(column.numbers[3] == 0.1F);
  CHECK(column.is_missing(2));
  for (const std::vector<std::string>& other : {std::vector<std::string>{"5", "6"}, {">5", "low"}, {">5", "> "}}) {
    io::Column same = io::categorical_column("y", other);
    CHECK_FALSE(data::take_bounds(same));
    CHECK_FALSE(same.is_numeric);
  }
}

TEST_CASE("a column of relations makes numbers bounds", "[data][bounds]") {
  io::Column numbers{
      .name = "y", .numbers = {1, 2, std::numeric_limits<float>::quiet_NaN(), 4}, .codes = {}, .categories = {}};
  data::take_bounds(io::categorical_column("r", std::vector<std::string>{"<", "", ">", ">"}), numbers);
  CHECK(numbers.bounds == std::vector<std::int8_t>{-1, 0, 0, 1});
}
