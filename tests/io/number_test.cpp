#include "edgewise/io/number.hpp"

#include <catch2/catch.hpp>
#include <clocale>
#include <limits>

using namespace edgewise;
using io::NumberFault;

TEST_CASE("numbers are read completely or not at all", "[io][number]") {
  float value = 0.0f;
  const auto read = [&](std::string_view text) {
    REQUIRE(io::parse_number(text, value) == NumberFault::none);
    return value;
  };
  CHECK(read("0") == 0.0f);
  CHECK(read("-3") == -3.0f);
  CHECK(read("+2.5") == 2.5f);
  CHECK(read(".5") == 0.5f);
  CHECK(read("1e-3") == 1e-3f);
  CHECK(read("-1E5") == -1e5f);
  CHECK(read("0.00833333377") == 0.00833333377f);
  CHECK(read("1e-60") == 0.0f);
  CHECK(read("1e-4000") == 0.0f);
  CHECK(read("3.4e38") == 3.4e38f);
  for (const char* text : {"", "-", "+", ".", "+-1", "--1", "1 ", " 1", "1x", "0x10", "1,5", "1e", "inf", "-inf", "nan",
                           "NaN", "infinity", "one", "1.2.3"})
    CHECK(io::parse_number(text, value) == NumberFault::not_a_number);
  for (const char* text : {"1e39", "-1e39", "1e4000", "99999999999999999999999999999999999999999"})
    CHECK(io::parse_number(text, value) == NumberFault::too_large);
}

TEST_CASE("numbers do not depend on the locale", "[io][number]") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // no effect where it is not installed
  float value = 0.0f;
  const NumberFault large = io::parse_number("1.5e400", value), usual = io::parse_number("1.5", value);
  std::setlocale(LC_NUMERIC, before.c_str());
  CHECK(large == NumberFault::too_large);
  CHECK(usual == NumberFault::none);
  CHECK(value == 1.5f);
}

TEST_CASE("a required number reports its position", "[io][number]") {
  CHECK_THROWS_WITH(io::require_number("tall", {"people.csv", 12, 0}, "age"),
                    "people.csv:12: column \"age\": expected a number, got \"tall\"");
  CHECK_THROWS_WITH(io::require_number("1e99", {"people.csv", 12, 0}, "age"),
                    "people.csv:12: column \"age\": expected a number below 3.4e38, got \"1e99\"");
}

TEST_CASE("indices consist of digits only", "[io][number]") {
  CHECK(io::parse_index("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(io::parse_index("007") == 7u);
  for (const char* text : {"007", "00", "16777217", "18446744073709551615"}) CHECK(io::changes_as_float(text));
  for (const char* text : {"7", "0", "16777216", "0.50", "1e-05", "K1A"}) CHECK_FALSE(io::changes_as_float(text));
  for (const char* text : {"", "-1", "+1", "1.0", "18446744073709551616", " 1", "1 "})
    CHECK_FALSE(io::parse_index(text));
}
