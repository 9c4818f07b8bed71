#include "edgewise/core/mark.hpp"

#include <catch2/catch.hpp>

using edgewise::Mark;

TEST_CASE("a mark is that of FNV-1a, however its bytes are cut", "[core][mark]") {
  Mark whole, parts;
  CHECK(whole.text() == "cbf29ce484222325");
  whole.add("foobar");
  CHECK(whole.text() == "85944171f73967e8");  // of the authors' test suite
  parts.add("foo");
  parts.add("bar");
  CHECK(parts.text() == whole.text());
}
