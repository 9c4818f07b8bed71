#include "edgewise/core/list.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using List = std::vector<std::string>;

TEST_CASE("lists are read like a line of CSV", "[core][list]") {
  CHECK(split_list("") == List{});
  CHECK(split_list("a") == List{"a"});
  CHECK(split_list("a,b c,d") == List{"a", "b c", "d"});
  CHECK(split_list("a,,") == List{"a", "", ""});
  CHECK(split_list(R"("a, b",c)") == List{"a, b", "c"});
  CHECK(split_list(R"(x,"say ""hi"", Ann")") == List{"x", R"(say "hi", Ann)"});
  CHECK(split_list(R"(5" nail,b)") == List{R"(5" nail)", "b"});
  CHECK(split_list(R"("")") == List{""});
  CHECK_THROWS_AS(split_list(R"("a,b)"), UsageError);
  CHECK_THROWS_AS(split_list(R"("a"b,c)"), UsageError);
}

TEST_CASE("patterns stand for the names they match", "[core][list]") {
  const List known{"id", "NR-AR", "NR-ER", "SR-p53", "a*"};
  CHECK(expand_patterns({"NR-*"}, known) == List{"NR-AR", "NR-ER"});
  CHECK(expand_patterns({"SR-p53", "*-?R", "NR-ER"}, known) == List{"SR-p53", "NR-AR", "NR-ER"});
  CHECK(expand_patterns({"a*"}, known) == List{"a*"});
  CHECK(expand_patterns({"x*", "log10(id)"}, known) == List{"x*", "log10(id)"});
  CHECK(expand_patterns({"*"}, {}) == List{"*"});
}
