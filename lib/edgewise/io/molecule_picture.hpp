#pragma once

#include <span>
#include <string>

namespace edgewise::io {

struct MoleculePictureOptions {
  int width = 450;   ///< Pixels, from 50 to 10,000.
  int height = 350;
  std::string title = {};  ///< Under the molecule.
};

/// Draws a molecule as SVG with its atoms and bonds coloured by weight, from white (0) to a full colour (1).
/// `atoms`: one weight an atom, in the order of the SMILES as `data::featurise_molecules` has it without hydrogens.
/// `bonds`: one a bond, in the order of its edges. Either may be empty: then nothing of that kind is coloured.
/// Throws DataError when the SMILES cannot be read or there is another number of weights, and for a weight that is not
/// from 0 to 1; UsageError for a size out of range.
std::string draw_molecule(const std::string& smiles, std::span<const float> atoms, std::span<const float> bonds,
                          const MoleculePictureOptions& options = {});

/// The same into a file, which is written whole or not at all (packed when its name ends in .gz).
void write_molecule_picture(const std::string& path, const std::string& smiles, std::span<const float> atoms,
                            std::span<const float> bonds, const MoleculePictureOptions& options = {});

}  // namespace edgewise::io
