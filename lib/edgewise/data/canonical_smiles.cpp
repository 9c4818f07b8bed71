#include "edgewise/data/canonical_smiles.hpp"

#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include "edgewise/data/detail/canonical_reaction.hpp"
#include "edgewise/data/detail/each_molecule.hpp"

namespace edgewise::data {
namespace {

/// RDKit writes a molecule by recursion over its atoms; a chain of some ten thousand would use up the stack.
constexpr unsigned kMaxAtoms = 2000;

}  // namespace

std::vector<std::string> canonical_smiles(std::span<const std::string> smiles) {
  const auto is_large = [](const RDKit::RWMol& molecule) { return molecule.getNumAtoms() > kMaxAtoms; };
  return detail::each_molecule(
             smiles,
             [&](const RDKit::RWMol& molecule) {
               return is_large(molecule) ? std::string() : RDKit::MolToSmiles(molecule);
             },
             [&](const io::ParsedReaction& reaction) {
               return is_large(*reaction.reactants.molecule) || is_large(*reaction.products.molecule)
                          ? std::string()
                          : detail::canonical_reaction(reaction);
             })
      .texts;
}

}  // namespace edgewise::data
