#include "edgewise/io/molecule_picture.hpp"

#include <GraphMol/MolDraw2D/MolDraw2DSVG.h>
#include <GraphMol/MolDraw2D/MolDraw2DUtils.h>
#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <map>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr int kWidth = 450, kHeight = 350;  // pixels, of the molecule

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
    const PictureColour colour = picture_colour(weight);
    result.indices.push_back(static_cast<int>(i));
    result.colours[static_cast<int>(i)] = RDKit::DrawColour(colour.red, colour.green, colour.blue);
  }
  return result;
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
  const int above = text.height_above();
  const auto draw = [&] {
    RDKit::MolDraw2DSVG drawer(kWidth, above + kHeight + text.height_below(), kWidth, kHeight);
    drawer.setOffset(0, above);
    RDKit::assignBWPalette(drawer.drawOptions().atomColourPalette);  // the colours are those of the weights
    RDKit::MolDraw2DUtils::prepareAndDrawMolecule(drawer, *parsed.molecule, "", &of_atoms.indices, &of_bonds.indices,
                                                  &of_atoms.colours, &of_bonds.colours);
    drawer.finishDrawing();
    picture = drawer.getDrawingText();
  };
  if (!run_rdkit(draw, problem))
    throw DataError(fmt::format("molecule picture: {} cannot be drawn: {}", quote(smiles), problem));
  picture.insert(picture.rfind("</svg>"), title_of(text, kWidth) + scale_of(text, is_signed, kWidth, above + kHeight));
  return picture;
}

}  // namespace edgewise::io
