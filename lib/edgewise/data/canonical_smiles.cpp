#include "edgewise/data/canonical_smiles.hpp"

#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include "edgewise/data/detail/each_molecule.hpp"

namespace edgewise::data {

std::vector<std::string> canonical_smiles(std::span<const std::string> smiles) {
  return detail::each_molecule(smiles, [](const RDKit::RWMol& molecule) { return RDKit::MolToSmiles(molecule); }).texts;
}

}  // namespace edgewise::data
