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
