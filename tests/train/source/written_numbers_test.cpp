#include "edgewise/train/source/written_numbers.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace edgewise;

namespace {

using Texts = std::vector<std::string>;

/// What the texts are written with, and how the example would be plain.
std::string described(const Texts& texts) {
  const auto numbers = train::written_numbers(texts);
  return numbers ? numbers->with + ": " + numbers->example + " = " + numbers->plain : "";
}

}  // namespace

TEST_CASE("numbers with units and signs are told", "[train][written_numbers]") {
  CHECK(described({"45%", "12.5 %", "3%"}) == "\"%\": 45% = 45");
  CHECK(described({"$3.50", "$1,200.00", "$7"}) == "\"$\" and groups of thousands: $1,200.00 = 1200.00");
  CHECK(described({"1.234,56 €", "7,20 €", "3 €"}) ==
        "\"€\", groups of thousands and a decimal comma: 1.234,56 € = 1234.56");
  CHECK(described({"12 kg", "3.5 kg", "80kg"}) == "\"kg\": 12 kg = 12");
  CHECK(described({"EUR 5", "EUR 7.5"}) == "\"EUR\": EUR 5 = 5");
  CHECK(described({"-$5", "($7.50)", "$3"}) == "\"$\": -$5 = -5");
  CHECK(described({"1'234.5", "2'345.5", "3"}) == "groups of thousands: 1'234.5 = 1234.5");
  CHECK(described({"£1,200", "£900", "n.a."}) == "\"£\" and groups of thousands: £1,200 = 1200");
}

TEST_CASE("codes and names are no numbers", "[train][written_numbers]") {
  for (const Texts& texts : {Texts{"red", "blue"}, {"Q1", "Q2", "Q3", "Q4"}, {"A12", "A13"}, {"3a", "4b", "5c"},
                             {"1st", "2nd", "3rd", "4th", "5th"}, {"1980s", "1990s"}, {"18-24", "25-34"},
                             {"12 Main Street", "7 Oak Road"}, {"2024-03-31", "2024-04-01"}, {"10.0.0.1", "10.0.0.2"},
                             {"1", "2", "x"}, {"45%", "many", "few"}, {}, {"Chapter 3", "Chapter 4"}}) {
    INFO((texts.empty() ? "" : texts.front()));
    CHECK(described(texts).empty());
  }
}

TEST_CASE("lists of numbers in a cell are told", "[train][written_numbers]") {
  const auto length = [](const Texts& texts) {
    const auto lists = train::number_lists(texts);
    return lists ? lists->length : 0;
  };
  CHECK(length({"0.1, 0.2", "0.3, 0.4"}) == 2);
  CHECK(length({"0.1,0.2", "-0.3,4"}) == 2);
  CHECK(length({"[1 2 3]", "[4 5 6]"}) == 3);
  CHECK(length({"1;2;3", "4;5;6"}) == 3);
  CHECK(length({"1,5", "2,7"}) == 0);  // a decimal comma
  CHECK(length({"1,200", "1,234,567"}) == 0);
  CHECK(length({"rock|pop", "jazz"}) == 0);
  CHECK(length({"3", "4"}) == 0);
  CHECK(length({"Smith, 3", "Jones, 4"}) == 0);
}
