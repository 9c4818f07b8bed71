#pragma once

#include <span>
#include <string>

#include "edgewise/io/picture_text.hpp"

namespace edgewise::io {

/// Draws a molecule as SVG with atoms and bonds coloured by weight (see picture_text.hpp). Elements are black. `atoms`
/// has one weight per atom, in SMILES order (as in `data::featurise_molecules` without hydrogens), `bonds` one per
/// bond, in the order of its edges. Either may be empty; nothing of that kind is then coloured. `is_signed`: whether
/// the scale that is shown has a blue side. Throws DataError if the SMILES cannot be parsed, the number of weights does
/// not match, or a weight is not from -1 to 1.
std::string draw_molecule(const std::string& smiles, std::span<const float> atoms, std::span<const float> bonds,
                          const PictureText& text = {}, bool is_signed = false);

}  // namespace edgewise::io
