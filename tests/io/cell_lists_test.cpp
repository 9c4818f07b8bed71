#include "edgewise/io/cell_lists.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using edgewise::io::is_nested_list;
using edgewise::io::list_of_values;
using edgewise::io::values_of_list;

TEST_CASE("lists in cells are read as people write them", "[io][cell_lists]") {
  const auto [cell, values] = GENERATE(table<std::string, std::vector<std::string>>({
      {"[0.1, null, -2]", {"0.1", "null", "-2"}},
      {" [0.1,None,-2] ", {"0.1", "None", "-2"}},
      {"0.1 -2", {"0.1", "-2"}},
      {"[0.1\n -2.  3e-4]", {"0.1", "-2.", "3e-4"}},
      {"[\n  0.1,\r\n  null,\n  -2\n]\n", {"0.1", "null", "-2"}},
      {"0.1;;-2", {"0.1", "", "-2"}},
      {"0.1,,-2", {"0.1", "", "-2"}},
      {"a, b; c", {"a, b", "c"}},
      {"['C', \"N\"]", {"C", "N"}},
      {"(S) (R)", {"(S)", "(R)"}},
      {"[np.float64(0.88), np.float64(nan)]", {"0.88", "nan"}},
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

TEST_CASE("lists of lists are told from lists", "[io][cell_lists]") {
  for (const char* nested : {"[[0.1], [2]]", " [\n [0.1]]", "{\"0\": 1}", "[{}]"}) CHECK(is_nested_list(nested));
  for (const char* flat : {"[0.1, 2]", "['[CH3]']", "", "[", "[]"}) CHECK_FALSE(is_nested_list(flat));
}

TEST_CASE("lists are written as JSON", "[io][cell_lists]") {
  CHECK(list_of_values({"0.1", "", "nan", "-2"}, true) == "[0.1,null,null,-2]");
  CHECK(list_of_values({"C", "", "a \"b\""}, false) == R"(["C",null,"a \"b\""])");
  CHECK(list_of_values({}, true) == "[]");
}
