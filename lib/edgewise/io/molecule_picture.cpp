#include "edgewise/io/molecule_picture.hpp"

#include <GraphMol/MolDraw2D/MolDraw2DSVG.h>
#include <GraphMol/MolDraw2D/MolDraw2DUtils.h>
#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/detail/xml.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr int kWidth = 450, kHeight = 350;  // pixels, of the molecule
constexpr int kLine = 20, kScale = 58;      // heights of a line of the title, and of the scale with its texts
constexpr std::size_t kTitleLength = 64;    // characters of a line
constexpr double kPositive[3] = {1.0, 0.45, 0.1};
constexpr double kNegative[3] = {0.1, 0.45, 1.0};

/// Indices to colour, and their colours.
struct Highlights {
  std::vector<int> indices;
  std::map<int, RDKit::DrawColour> colours;
};

Highlights highlights(std::span<const float> weights, std::size_t count, const char* what) {
  if (!weights.empty() && weights.size() != count)
    throw DataError(fmt::format("molecule picture: {} weights for {} {}s", weights.size(), count, what));
  Highlights result;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double weight = weights[i];
    if (!(weight >= -1 && weight <= 1))
      throw DataError(fmt::format("molecule picture: expected weights from -1 to 1, got {} of {} {}", weight, what, i));
    if (weight == 0) continue;  // would be white on white
    const double* full = weight > 0 ? kPositive : kNegative;
    const auto channel = [&](int c) { return 1 - std::abs(weight) * (1 - full[c]); };
    result.indices.push_back(static_cast<int>(i));
    result.colours[static_cast<int>(i)] = RDKit::DrawColour(channel(0), channel(1), channel(2));
  }
  return result;
}

std::string hex(const double (&colour)[3]) {
  const auto byte = [&](int c) { return static_cast<int>(std::lround(255 * colour[c])); };
  return fmt::format("#{:02X}{:02X}{:02X}", byte(0), byte(1), byte(2));
}

std::string text_at(double x, double y, const char* anchor, int size, const std::string& text) {
  return fmt::format("<text x='{}' y='{}' text-anchor='{}' font-family='sans-serif' font-size='{}' fill='#000000'>{}"
                     "</text>\n",
                     x, y, anchor, size, detail::ascii_escape(detail::xml_escape(text)));
}

std::string title_of(const PictureText& text) {
  if (text.title.empty()) return "";
  const std::size_t height = kLine * text.title.size();
  std::string lines = fmt::format("<rect width='{}' height='{}' fill='#FFFFFF'/>\n", kWidth, height);
  for (std::size_t i = 0; i < text.title.size(); ++i)
    lines += text_at(10, kLine * static_cast<double>(i + 1) - 4, "start", 13, printable(text.title[i], kTitleLength));
  return lines;
}

/// A bar with the colours between its two texts, and what they mean below.
std::string scale_of(const PictureText& text, bool is_signed, double top) {
  if (text.high.empty()) return "";
  constexpr double kLeft = 115, kBar = kWidth - 2 * kLeft;
  std::string scale = fmt::format(
      "<defs><linearGradient id='scale'><stop offset='0' stop-color='{}'/>{}<stop offset='1' stop-color='{}'/>"
      "</linearGradient></defs>\n",
      is_signed ? hex(kNegative) : "#FFFFFF", is_signed ? "<stop offset='0.5' stop-color='#FFFFFF'/>" : "",
      hex(kPositive));
  scale += fmt::format(
      "<rect x='{}' y='{}' width='{}' height='14' fill='url(#scale)' stroke='#808080' stroke-width='0.5'/>\n", kLeft,
      top + 8, kBar);
  scale += text_at(kLeft - 6, top + 20, "end", 12, text.low);
  scale += text_at(kLeft + kBar + 6, top + 20, "start", 12, text.high);
  scale += text_at(kWidth / 2.0, top + 42, "middle", 12, printable(text.scale, kTitleLength));
  return scale;
}

}  // namespace

std::string draw_molecule(const std::string& smiles, std::span<const float> atoms, std::span<const float> bonds,
                          const PictureText& text, bool is_signed) {
  const ParsedMolecule parsed = parse_smiles(smiles);
  if (!parsed.molecule)
    throw DataError(fmt::format("molecule picture: {} cannot be read: {}", quote(smiles), parsed.problem));
  const Highlights of_atoms = highlights(atoms, parsed.molecule->getNumAtoms(), "atom");
  const Highlights of_bonds = highlights(bonds, parsed.molecule->getNumBonds(), "bond");
  std::string picture, problem;
  const int above = kLine * static_cast<int>(text.title.size()), below = text.high.empty() ? 0 : kScale;
  const auto draw = [&] {
    RDKit::MolDraw2DSVG drawer(kWidth, above + kHeight + below, kWidth, kHeight);
    drawer.setOffset(0, above);
    RDKit::assignBWPalette(drawer.drawOptions().atomColourPalette);  // the colours are those of the weights
    RDKit::MolDraw2DUtils::prepareAndDrawMolecule(drawer, *parsed.molecule, "", &of_atoms.indices, &of_bonds.indices,
                                                  &of_atoms.colours, &of_bonds.colours);
    drawer.finishDrawing();
    picture = drawer.getDrawingText();
  };
  if (!run_rdkit(draw, problem))
    throw DataError(fmt::format("molecule picture: {} cannot be drawn: {}", quote(smiles), problem));
  picture.insert(picture.rfind("</svg>"), title_of(text) + scale_of(text, is_signed, above + kHeight));
  return picture;
}

}  // namespace edgewise::io
