#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"

namespace edgewise::app {

struct SmallMoleculeOptions {
  std::size_t count = 3000;
  std::uint64_t seed = 7;
};

/// Synthetic molecules of up to about 30 atoms, all different, with two properties that RDKit computes from the
/// structure.
struct SmallMolecules {
  std::vector<std::string> smiles;  ///< Canonical, as written by the RDKit version in use.
  std::vector<float> logp;          ///< Octanol-water, by atom contributions (Wildman and Crippen 1999).
  std::vector<float> tpsa;          ///< Polar surface area in square angstrom (Ertl, Rohde and Selzer 2000).
  data::Split split;                 ///< 80, 10 and 10 % train, validation and test, drawn from the seed.
};

/// Draws a core (a ring system or a chain) and attaches a linker and a functional group at one to three of its
/// positions. Molecules that RDKit cannot read and duplicates are skipped. The same seed gives the same molecules.
/// Throws UsageError for a count of 0 or above 100,000, and if there are too few different molecules.
SmallMolecules generate_small_molecules(const SmallMoleculeOptions& options = {});

/// Writes `directory`/molecules.csv (smiles,logp,tpsa,split), creating the directory if needed. Throws DataError if the
/// file cannot be written.
void write_small_molecules(const std::string& directory, const SmallMolecules& molecules);

}  // namespace edgewise::app
