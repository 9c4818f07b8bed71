#include "edgewise/data/scaffolds.hpp"

#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <vector>

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

std::string scaffold_of(const io::ParsedReaction& reaction) { return scaffold_of(*reaction.reactants.molecule); }

/// That of the first molecule; of a sum, which has no first one, those of all.
std::string scaffold_of(const io::ParsedMixture& mixture) {
  std::vector<std::string> scaffolds;
  for (const io::ParsedMixture::Part& part : mixture.parts)
    scaffolds.push_back(part.parsed.molecule ? scaffold_of(*part.parsed.molecule) : "");
  if (!mixture.is_sum) return scaffolds.front();
  std::ranges::sort(scaffolds);
  return fmt::format("{}", fmt::join(scaffolds, "."));
}

}  // namespace

std::vector<std::string> murcko_scaffolds(std::span<const std::string> smiles) {
  return detail::each_molecule(smiles, [](const auto& parsed) { return scaffold_of(parsed); }).texts;
}

}  // namespace edgewise::data
