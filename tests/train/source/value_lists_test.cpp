#include "edgewise/train/source/value_lists.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using Texts = std::vector<std::string>;

TEST_CASE("categories that are lists of a few entries are recognised", "[train][value_lists]") {
  const auto lists = train::value_lists(Texts{"jazz", "pop", "rock", "rock|pop|jazz"});
  REQUIRE(lists);
  CHECK(lists->example == "rock|pop|jazz");
  CHECK(lists->entries == Texts{"rock", "pop", "jazz"});
  CHECK(train::value_lists(Texts{"a; b", "b; c", "c"})->entries == Texts{"a", "b", "c"});
  CHECK(train::value_lists(Texts{"red,green", "green,blue", "blue"}));
}

TEST_CASE("names and sentences are no lists", "[train][value_lists]") {
  CHECK(!train::value_lists({}));
  CHECK(!train::value_lists(Texts{"rock", "pop"}));
  CHECK(!train::value_lists(Texts{"Smith, John", "Smith, Mary", "Miller, Anna", "Fox, Carl"}));
  CHECK(!train::value_lists(Texts{"Paris, France", "Lyon, France", "Lille, France"}));
  CHECK(!train::value_lists(Texts{"|", "a||b", "a|", "b"}));
  CHECK(!train::value_lists(Texts{"Well, this is one", "And, well, another"}));
  CHECK(!train::value_lists(Texts{"a|b"}));
}
