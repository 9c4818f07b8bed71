#include "edgewise/core/folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "support/temporary_directory.hpp"

using namespace edgewise;

TEST_CASE("names in a folder", "[core][folder]") {
  const test::TemporaryDirectory directory;
  directory.write("a.txt", "");
  directory.write("b.txt", "");
  const auto names = names_in_folder(directory.path().string());
  REQUIRE(names);
  CHECK(std::ranges::count(*names, "a.txt") == 1);
  CHECK(std::ranges::count(*names, "b.txt") == 1);
  CHECK(names->size() == 4);  // with . and ..
  CHECK_FALSE(names_in_folder(directory.path("nothing")).has_value());
  CHECK_FALSE(names_in_folder(directory.path("a.txt")).has_value());
}
