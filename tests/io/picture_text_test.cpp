#include "edgewise/io/picture_text.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("colours go from blue over white to orange", "[io][picture_text]") {
  CHECK(io::hex(io::picture_colour(0)) == "#FFFFFF");
  CHECK(io::hex(io::picture_colour(1)) == "#FF7319");
  CHECK(io::hex(io::picture_colour(-1)) == "#1973FF");
  const io::PictureColour half = io::picture_colour(0.5);
  CHECK(half.red == 1);
  CHECK(half.blue == Approx(0.55));
}

TEST_CASE("a title and a scale take room only if there are any", "[io][picture_text]") {
  const io::PictureText none, some{.title = {"a", "b <c>"}, .low = "less", .high = "more", .scale = "effect"};
  CHECK(none.height_above() == 0);
  CHECK(none.height_below() == 0);
  CHECK(some.height_above() == 40);
  CHECK(some.height_below() > 0);
  CHECK(io::title_of(none, 100).empty());
  CHECK_THAT(io::title_of(some, 100), Contains("b &lt;c&gt;"));
  CHECK(io::scale_of(none, true, 300, 0).empty());
  CHECK_THAT(io::scale_of(some, true, 300, 0), Contains("#1A73FF") && Contains(">effect</text>"));
  CHECK_THAT(io::scale_of(some, false, 300, 0), !Contains("#1A73FF"));
}
