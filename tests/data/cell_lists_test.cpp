#include "edgewise/data/cell_lists.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace edgewise::data;
using List = std::vector<std::string>;

TEST_CASE("lists in cells are read as people write them", "[data][cell_lists]") {
  const auto [cell, values] = GENERATE(table<std::string, List>({
      {"[0.1, null, -2]", {"0.1", "null", "-2"}},
      {" [0.1,None,-2] ", {"0.1", "None", "-2"}},
      {"0.1 -2", {"0.1", "-2"}},
      {"[0.1\n -2.  3e-4]", {"0.1", "-2.", "3e-4"}},
      {"0.1;;-2", {"0.1", "", "-2"}},
      {"0.1,,-2", {"0.1", "", "-2"}},
      {"a, b; c", {"a, b", "c"}},
      {"['C', \"N\"]", {"C", "N"}},
      {"(S) (R)", {"(S)", "(R)"}},
      {"3", {"3"}},
      {"[]", {}},
      {"", {}},
      {"  ", {}},
      {"[", {"["}},
      {"]", {"]"}},
      {"\"", {"\""}},
      {"1;", {"1", ""}},
  }));
  CAPTURE(cell);
  CHECK(values_of_list(cell) == values);
}

TEST_CASE("lists are written as JSON", "[data][cell_lists]") {
  CHECK(list_of_values({"0.1", "", "nan", "-2"}, true) == "[0.1,null,null,-2]");
  CHECK(list_of_values({"C", "", "a \"b\""}, false) == R"(["C",null,"a \"b\""])");
  CHECK(list_of_values({}, true) == "[]");
}
