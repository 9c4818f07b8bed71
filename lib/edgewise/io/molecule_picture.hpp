#pragma once

#include <span>
#include <string>

namespace edgewise::io {

/// Draws a molecule as SVG with atoms and bonds coloured by weight, from white (0) to full colour (1). `atoms` has one
/// weight per atom, in SMILES order (as in `data::featurise_molecules` without hydrogens). `bonds` has one weight per
/// bond, in the order of its edges. Either may be empty; nothing of that kind is then coloured. Throws DataError if the
/// SMILES cannot be parsed, the number of weights does not match, or a weight is not from 0 to 1.
std::string draw_molecule(const std::string& smiles, std::span<const float> atoms, std::span<const float> bonds);

}  // namespace edgewise::io
