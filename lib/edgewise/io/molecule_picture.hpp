#pragma once

#include <span>
#include <string>

namespace edgewise::io {

struct MoleculePictureOptions {
  int width = 450;   ///< Pixels, from 50 to 10,000.
  int height = 350;
  std::string title = {};  ///< Shown below the molecule.
};

/// Draws a molecule as SVG with atoms and bonds coloured by weight, from white (0) to full colour (1). `atoms` has one
/// weight per atom, in SMILES order (as in `data::featurise_molecules` without hydrogens). `bonds` has one weight per
/// bond, in the order of its edges. Either may be empty; nothing of that kind is then coloured. Throws DataError if the
/// SMILES cannot be parsed, the number of weights does not match, or a weight is not from 0 to 1; UsageError if a size
/// is out of range.
std::string draw_molecule(const std::string& smiles, std::span<const float> atoms, std::span<const float> bonds,
                          const MoleculePictureOptions& options = {});

}  // namespace edgewise::io
