#include "edgewise/core/setting.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace edgewise;

TEST_CASE("messages name settings by their paths, or as a program says", "[core][setting]") {
  CHECK(setting("data.label") == "data.label");
  name_settings([](std::string_view path) { return "<" + std::string(path) + ">"; });
  CHECK(setting("data.label") == "<data.label>");
  name_settings({});
  CHECK(setting("data.label") == "data.label");
}
