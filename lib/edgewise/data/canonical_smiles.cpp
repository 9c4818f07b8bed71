#include "edgewise/data/canonical_smiles.hpp"

#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include "edgewise/data/detail/each_molecule.hpp"

namespace edgewise::data {
namespace {

/// RDKit writes a molecule by recursion over its atoms; a chain of some ten thousand would use up the stack.
constexpr unsigned kMaxAtoms = 2000;

}  // namespace

std::vector<std::string> canonical_smiles(std::span<const std::string> smiles) {
  return detail::each_molecule(smiles, [](const RDKit::RWMol& molecule) {
           return molecule.getNumAtoms() > kMaxAtoms ? std::string() : RDKit::MolToSmiles(molecule);
         }).texts;
}

}  // namespace edgewise::data
