#include "edgewise/core/folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "edgewise/core/error.hpp"
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

TEST_CASE("folders are made with those above them", "[core][folder]") {
  const test::TemporaryDirectory directory;
  make_folder(directory.path("a/b"));
  make_folder(directory.path("a/b"));
  CHECK(names_in_folder(directory.path("a/b")).has_value());
  directory.write("file", "");
  CHECK_THROWS_AS(make_folder(directory.path("file/b")), DataError);
}
