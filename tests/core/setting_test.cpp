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

TEST_CASE("for a while, messages may name settings in another way", "[core][setting]") {
  name_settings([](std::string_view path) { return "--" + std::string(path); });
  {
    const OtherNames outer([](std::string_view) { return std::string("outer"); });
    {
      const OtherNames inner([](std::string_view path) { return std::string(path); });
      CHECK(setting("intervals") == "intervals");
    }
    CHECK(setting("intervals") == "outer");
  }
  CHECK(setting("intervals") == "--intervals");
  name_settings({});
}
