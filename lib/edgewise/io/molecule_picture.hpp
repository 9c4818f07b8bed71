#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "edgewise/io/picture_text.hpp"

/// @file
/// Molecules and reactions as SVG, with atoms and bonds coloured by weights from -1 to 1 (see picture_text.hpp).
/// Elements are black. Throws DataError for what cannot be parsed, weights of atoms or bonds that do not exist, and
/// weights that are not from -1 to 1.
namespace edgewise::io {

/// The weight of a bond between two atoms, in either order.
struct BondWeight {
  std::uint32_t source, target;
  float weight;
};

/// One molecule of a picture.
struct DrawnMolecule {
  std::string smiles;
  std::vector<float> atoms = {};         ///< In the order of the SMILES; empty: none is coloured.
  std::vector<BondWeight> bonds = {};    ///< Those that are not listed are not coloured.
  std::vector<std::string> notes = {};   ///< Beside the atoms, in their order; empty: none.
  std::string caption = {};              ///< Below it.
};

/// `is_signed`: whether the scale that is shown has a blue side. Several molecules stand side by side, three in a line.
std::string draw_molecules(std::span<const DrawnMolecule> molecules, const PictureText& text = {},
                           bool is_signed = false);

/// Draws both sides with an arrow between them, and the map numbers beside the atoms. Atoms are numbered as by
/// `atom_symbols`: those of the reactants, then those that only the products have. What is on both sides has its colour
/// on both.
std::string draw_reaction(const std::string& reaction, std::span<const float> atoms, std::span<const BondWeight> bonds,
                          const PictureText& text = {}, bool is_signed = false);

}  // namespace edgewise::io
