#include "edgewise/data/scaffolds.hpp"

#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include <memory>

#include "edgewise/data/detail/each_molecule.hpp"

namespace edgewise::data {
namespace {

std::string scaffold_of(const RDKit::RWMol& molecule) {
  const std::unique_ptr<RDKit::ROMol> scaffold(RDKit::MurckoDecompose(molecule));
  scaffold->clearComputedProps();
  scaffold->updatePropertyCache();
  constexpr bool kWithStereo = false;
  return RDKit::MolToSmiles(*scaffold, kWithStereo);
}

}  // namespace

Scaffolds murcko_scaffolds(std::span<const std::string> smiles) {
  detail::MoleculeTexts made = detail::each_molecule(smiles, scaffold_of, [](const io::ParsedReaction& reaction) {
    return scaffold_of(*reaction.reactants.molecule);
  });
  return {std::move(made.texts), std::move(made.problems)};
}

}  // namespace edgewise::data
