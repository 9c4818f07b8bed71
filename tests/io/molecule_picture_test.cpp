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

TEST_CASE("what cannot be drawn is refused", "[io][molecule_picture]") {
  const std::vector<float> two = {0, 1}, three = {0, 1, 0}, wrong = {0, 1, 2};
  CHECK_THROWS_WITH(io::draw_molecule("C1C", {}, {}), Contains("\"C1C\" cannot be read: unclosed ring"));
  CHECK_THROWS_WITH(io::draw_molecule("CCO", two, {}), Contains("2 weights for 3 atoms"));
  CHECK_THROWS_WITH(io::draw_molecule("CCO", {}, three), Contains("3 weights for 2 bonds"));
  CHECK_THROWS_WITH(io::draw_molecule("CCO", wrong, {}), Contains("expected weights from 0 to 1, got 2 of atom 2"));
}
