#pragma once

#include <span>
#include <string>
#include <vector>

namespace edgewise::io {

/// What is written around a molecule; plain texts, escaped here.
struct PictureText {
  std::vector<std::string> title = {};  ///< Lines above it.
  std::string low = {};                 ///< At the left end of the scale of colours; no scale without `high`.
  std::string high = {};                ///< At its right end.
  std::string scale = {};               ///< Below the scale: what the colours mean.
};

/// Draws a molecule as SVG with atoms and bonds coloured by weight, from blue (-1) over white (0) to orange (1),
/// colours that people without full colour vision can tell apart. Elements are black. `atoms` has one weight per atom,
/// in SMILES order (as in `data::featurise_molecules` without hydrogens), `bonds` one per bond, in the order of its
/// edges. Either may be empty; nothing of that kind is then coloured. `is_signed`: whether the scale that is shown has
/// a blue side. Throws DataError if the SMILES cannot be parsed, the number of weights does not match, or a weight is
/// not from -1 to 1.
std::string draw_molecule(const std::string& smiles, std::span<const float> atoms, std::span<const float> bonds,
                          const PictureText& text = {}, bool is_signed = false);

}  // namespace edgewise::io
