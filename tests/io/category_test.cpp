#include "edgewise/io/category.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace edgewise;
using Catch::Matchers::Contains;
using io::are_truths;
using io::CategoryMatch;
using io::parse_truth;

using Texts = std::vector<std::string>;

TEST_CASE("truth values have many spellings", "[io][category]") {
  for (const char* text : {"true", "True", "TRUE", "yes", "Y", "t", "1", "1.0", "+1"}) CHECK(parse_truth(text) == true);
  for (const char* text : {"false", "FALSE", "No", "n", "F", "0", "0.0", "-0"}) CHECK(parse_truth(text) == false);
  for (const char* text : {"", "2", "truth", "01", "tr", "yes "}) CHECK_FALSE(parse_truth(text));
  CHECK(are_truths(Texts{"True", "False"}));
  CHECK(are_truths(Texts{"yes"}));
  CHECK(are_truths(Texts{"True", "0", "1"}));
  CHECK(are_truths(Texts{"0", "1"}));
  CHECK_FALSE(are_truths(Texts{"1"}));
  CHECK_FALSE(are_truths(Texts{"F", "M"}));
  CHECK_FALSE(are_truths(Texts{"T", "N"}));
  CHECK_FALSE(are_truths(Texts{"yes", "no", "maybe"}));
}

TEST_CASE("categories are found in other spellings", "[io][category]") {
  const Texts flags = {"False", "True"};
  for (const char* text : {"True", "TRUE", "true", "yes", "1"}) CHECK(CategoryMatch(flags).find(text) == 1);
  CHECK(CategoryMatch(flags).find("0") == 0);
  CHECK_FALSE(CategoryMatch(flags).find("maybe"));
  const Texts numbers = {"10", "007", "0.5", "1.10"};
  const CategoryMatch match(numbers);
  for (const char* text : {"10", "10.0", "1e1", "+10"}) CHECK(match.find(text) == 0);
  CHECK(match.find(".5") == 2);
  CHECK(match.find("1.1") == 3);
  for (const char* text : {"010", "7", "7.0", "ten", ""}) CHECK_FALSE(match.find(text));
  const Texts twice = {"10", "10.0", "yes", "maybe"};
  CHECK(CategoryMatch(twice).find("10.0") == 1);
  CHECK_FALSE(CategoryMatch(twice).find("YES"));
}

TEST_CASE("values none of which is known are an error", "[io][category]") {
  const Texts known = {"red", "blue"};
  io::UnseenValues unseen;
  unseen.add("rot");
  CHECK_NOTHROW(unseen.check(0, known, "colour", {"n.csv", 0, 0}));  // one row may be the first of its kind
  unseen.add("rot");
  unseen.add("blau");
  CHECK(unseen.count() == 3);
  CHECK_NOTHROW(unseen.check(1, known, "colour", {"n.csv", 0, 0}));
  CHECK_THROWS_WITH(unseen.check(0, known, "colour", {"n.csv", 0, 0}),
                    Contains("n.csv: column \"colour\": none of its values was seen in training: found \"rot\", "
                             "\"blau\", expected \"red\", \"blue\""));
}
