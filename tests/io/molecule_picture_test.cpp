#include "edgewise/io/molecule_picture.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("a molecule is drawn with its weights as colours", "[io][molecule_picture]") {
  const std::vector<float> atoms = {0, 0.5F, 1}, bonds = {1, 0};
  const std::string picture = io::draw_molecule("CCO", atoms, bonds);
  CHECK_THAT(picture, Contains("<svg") && Contains("</svg>"));
  CHECK_THAT(picture, Contains("#FF7219"));  // the full colour
  CHECK_THAT(picture, Contains("#FFB88C"));  // half of the colour
  CHECK_THAT(io::draw_molecule("CCO", {}, {}), !Contains("#FF7219"));
  CHECK_THAT(io::draw_molecule("[Na+].[Cl-]", {}, {}), Contains("</svg>"));
}

TEST_CASE("negative weights are blue, and a scale says what colours mean", "[io][molecule_picture]") {
  const std::vector<float> atoms = {-1, -0.5F, 0};
  const io::PictureText text{.title = {"row 1"}, .low = "-1", .high = "+1", .scale = "effect on y"};
  const std::string picture = io::draw_molecule("CCO", atoms, {}, text, true);
  CHECK_THAT(picture, Contains("#1973FF") || Contains("#1A73FF"));
  CHECK_THAT(picture, Contains(">row 1</text>") && Contains(">effect on y</text>") && Contains("linearGradient"));
  CHECK_THAT(io::draw_molecule("CCO", atoms, {}), !Contains("linearGradient"));
  CHECK(picture.find("</svg>") == picture.rfind("</svg>"));
}

TEST_CASE("texts in a picture are escaped and cut", "[io][molecule_picture]") {
  const std::string picture = io::draw_molecule(
      "CCO", {}, {}, {.title = {"</svg><script>a & 'b'\x01\n", std::string(200, 'x')}, .high = "\"<1", .scale = "<y>"});
  CHECK_THAT(picture, !Contains("<script") && !Contains("\x01") && !Contains("<y>") && !Contains("\"<1"));
  CHECK_THAT(picture, Contains("&lt;script&gt;a &amp; ") && Contains("&lt;y&gt;"));
  CHECK_THAT(picture, !Contains(std::string(100, 'x')));
  CHECK_THAT(io::draw_molecule("CCO", {}, {}, {.title = {"\u00b5"}}), Contains("&#181;") || Contains("&#xB5;"));
}

TEST_CASE("what cannot be drawn is refused", "[io][molecule_picture]") {
  const std::vector<float> two = {0, 1}, three = {0, 1, 0}, wrong = {0, 1, 2};
  CHECK_THROWS_WITH(io::draw_molecule("C1C", {}, {}), Contains("\"C1C\" cannot be read: unclosed ring"));
  CHECK_THROWS_WITH(io::draw_molecule("CCO", two, {}), Contains("2 weights for 3 atoms"));
  CHECK_THROWS_WITH(io::draw_molecule("CCO", {}, three), Contains("3 weights for 2 bonds"));
  CHECK_THROWS_WITH(io::draw_molecule("CCO", wrong, {}), Contains("expected weights from -1 to 1, got 2 of atom 2"));
}
