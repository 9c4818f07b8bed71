#include "edgewise/io/molecule_picture.hpp"

#include <catch2/catch.hpp>

#include <span>
#include <string>
#include <vector>

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

std::string draw_one(const io::DrawnMolecule& molecule, const io::PictureText& text = {}, bool is_signed = false) {
  return io::draw_molecules(std::span(&molecule, 1), text, is_signed);
}

std::size_t occurrences(const std::string& picture, const std::string& text) {
  std::size_t found = 0;
  for (std::size_t at = picture.find(text); at != picture.npos; at = picture.find(text, at + 1)) ++found;
  return found;
}

constexpr const char* kFullOrange = "#FF7219";

}  // namespace

TEST_CASE("a molecule is drawn with its weights as colours", "[io][molecule_picture]") {
  const std::string picture = draw_one({.smiles = "CCO", .atoms = {0, 0.5F, 1}, .bonds = {{1, 0, 1}, {1, 2, 0}}});
  CHECK_THAT(picture, Contains("<svg") && Contains("</svg>"));
  CHECK_THAT(picture, Contains(kFullOrange));
  CHECK_THAT(picture, Contains("#FFB88C"));  // half of the colour
  CHECK_THAT(draw_one({.smiles = "CCO"}), !Contains(kFullOrange));
  CHECK_THAT(draw_one({.smiles = "[Na+].[Cl-]"}), Contains("</svg>"));
}

TEST_CASE("negative weights are blue, and a scale says what colours mean", "[io][molecule_picture]") {
  const io::DrawnMolecule ethanol{.smiles = "CCO", .atoms = {-1, -0.5F, 0}};
  const io::PictureText text{.title = {"row 1"}, .low = "-1", .high = "+1", .scale = "effect on y"};
  const std::string picture = draw_one(ethanol, text, true);
  CHECK_THAT(picture, Contains("#1973FF") || Contains("#1A73FF"));
  CHECK_THAT(picture, Contains(">row 1</text>") && Contains(">effect on y</text>") && Contains("linearGradient"));
  CHECK_THAT(draw_one(ethanol), !Contains("linearGradient"));
  CHECK(picture.find("</svg>") == picture.rfind("</svg>"));
}

TEST_CASE("molecules stand side by side, three in a line", "[io][molecule_picture]") {
  const io::DrawnMolecule dye{.smiles = "NCC", .atoms = {1, 0, 0}, .caption = "dye: +0.4"};
  const io::DrawnMolecule solvent{.smiles = "O", .notes = {"3"}, .caption = "<solvent>"};
  const std::string two = io::draw_molecules(std::vector{dye, solvent});
  CHECK_THAT(two, Contains("width='900px'") && Contains(">dye: +0.4</text>") && Contains(">&lt;solvent&gt;</text>"));
  CHECK(occurrences(two, "</svg>") == 1);
  const std::string four = io::draw_molecules(std::vector{dye, solvent, dye, dye});
  CHECK_THAT(four, Contains("width='1350px'") && Contains("height='744px'"));
  CHECK(occurrences(four, ">dye: +0.4</text>") == 3);
  CHECK_THROWS_WITH(io::draw_molecules({}), Contains("there is no molecule"));
}

TEST_CASE("a reaction has its colours on both sides", "[io][molecule_picture]") {
  const std::string reaction = "[F-:1].[Br:2][CH3:3]>>[F:1][CH3:3].[Br-:2]";
  const auto drawn = [&](std::vector<float> atoms, std::vector<io::BondWeight> bonds) {
    return io::draw_reaction(reaction, atoms, bonds);
  };
  CHECK_THAT(drawn({}, {}),
             Contains(">reactants</text>") && Contains(">products</text>") && Contains("<path d='M 434"));
  const std::string alone = draw_one({.smiles = "[F-].BrC", .atoms = {1, 0, 0}});
  CHECK(occurrences(drawn({1, 0, 0}, {}), kFullOrange) == 2 * occurrences(alone, kFullOrange));
  CHECK(occurrences(drawn({}, {{1, 2, 1}}), kFullOrange) > 0);  // the bond that breaks
  CHECK(occurrences(drawn({}, {{2, 0, 1}}), kFullOrange) > 0);  // and the new one
  CHECK_THROWS_WITH(drawn({}, {{0, 1, 1}}), Contains("no bond between the atoms 0 and 1"));
  CHECK_THROWS_WITH(drawn({}, {{0, 7, 1}}), Contains("no bond between the atoms 0 and 7"));
  CHECK_THROWS_WITH(drawn({1}, {}), Contains("1 weights for 3 atoms"));
  CHECK_THROWS_WITH(io::draw_reaction("C>>", {}, {}), Contains("no products"));
  // An atom of the products alone comes after those of the reactants.
  const std::string loss = "[CH3:1][OH:2]>>[CH2:1]=[O:2].[H:8][H:9]";
  CHECK(occurrences(io::draw_reaction(loss, std::vector<float>{0, 0, 0, 1}, {}), kFullOrange) > 0);
}

TEST_CASE("texts in a picture are escaped and cut", "[io][molecule_picture]") {
  const std::string picture =
      draw_one({.smiles = "CCO"},
           {.title = {"</svg><script>a & 'b'\x01\n", std::string(200, 'x')}, .high = "\"<1", .scale = "<y>"});
  CHECK_THAT(picture, !Contains("<script") && !Contains("\x01") && !Contains("<y>") && !Contains("\"<1"));
  CHECK_THAT(picture, Contains("&lt;script&gt;a &amp; ") && Contains("&lt;y&gt;"));
  CHECK_THAT(picture, !Contains(std::string(100, 'x')));
  CHECK_THAT(draw_one({.smiles = "CCO"}, {.title = {"\u00b5"}}), Contains("&#181;") || Contains("&#xB5;"));
}

TEST_CASE("what cannot be drawn is refused", "[io][molecule_picture]") {
  CHECK_THROWS_WITH(draw_one({.smiles = "C1C"}), Contains("\"C1C\" cannot be read: unclosed ring"));
  CHECK_THROWS_WITH(draw_one({.smiles = "CCO", .atoms = {0, 1}}), Contains("2 weights for 3 atoms"));
  CHECK_THROWS_WITH(draw_one({.smiles = "CCO", .bonds = {{0, 2, 1}}}), Contains("no bond between the atoms 0 and 2"));
  CHECK_THROWS_WITH(draw_one({.smiles = "CCO", .bonds = {{0, 3, 1}}}), Contains("no bond between the atoms 0 and 3"));
  CHECK_THROWS_WITH(draw_one({.smiles = "CCO", .atoms = {0, 1, 2}}), Contains("expected weights from -1 to 1, got 2"));
}
