#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

struct SmallMoleculeOptions {
  std::size_t count = 3000;
  std::uint64_t seed = 7;
};

/// Made-up molecules of up to about 30 atoms, all different, with two properties that RDKit computes from the
/// structure.
struct SmallMolecules {
  std::vector<std::string> smiles;  ///< Canonical, as the RDKit at hand writes it.
  std::vector<float> logp;          ///< Octanol and water, by atom contributions (Wildman and Crippen 1999).
  std::vector<float> tpsa;          ///< Polar surface, square angstrom (Ertl, Rohde and Selzer 2000).
  Split split;                      ///< 80, 10 and 10 % train, validation and test, drawn from the seed.
};

/// Draws a core (a ring system, or a chain) and puts a linker and a functional group at one to three of its places;
/// what RDKit cannot read or has seen before is left out. The same seed gives the same molecules.
/// Throws UsageError for a count of 0 or beyond 100,000, and when there are too few different molecules.
SmallMolecules generate_small_molecules(const SmallMoleculeOptions& options = {});

/// Writes `directory`/molecules.csv (smiles,logp,tpsa,split), making the directory where it lacks. Throws DataError
/// when the file cannot be written.
void write_small_molecules(const std::string& directory, const SmallMolecules& molecules);

}  // namespace edgewise::data
