#include "edgewise/data/canonical_smiles.hpp"

#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "edgewise/data/detail/canonical_reaction.hpp"
#include "edgewise/data/detail/each_molecule.hpp"

namespace edgewise::data {
namespace {

/// RDKit writes a molecule by recursion over its atoms; a chain of some ten thousand would use up the stack.
constexpr unsigned kMaxAtoms = 2000;

bool is_large(const RDKit::RWMol& molecule) { return molecule.getNumAtoms() > kMaxAtoms; }

std::string text_of(const RDKit::RWMol& molecule) {
  return is_large(molecule) ? std::string() : RDKit::MolToSmiles(molecule);
}

std::string text_of(const io::ParsedReaction& reaction) {
  return is_large(*reaction.reactants.molecule) || is_large(*reaction.products.molecule)
             ? std::string()
             : detail::canonical_reaction(reaction);
}

/// Amounts are shares here. A molecule of which there is nothing is none.
std::string text_of(const io::ParsedMixture& mixture) {
  std::vector<io::MixturePart> parts;
  for (const io::ParsedMixture::Part& part : mixture.parts) {
    io::MixturePart& made = parts.emplace_back();
    if (!part.parsed.molecule) continue;
    if (is_large(*part.parsed.molecule)) return "";
    made = {.smiles = text_of(*part.parsed.molecule), .amount = fmt::format("{:.6g}", part.share)};
  }
  if (mixture.is_sum)
    std::ranges::sort(parts, {}, [](const io::MixturePart& part) { return std::tie(part.smiles, part.amount); });
  return io::write_mixture(parts, mixture.is_sum);
}

}  // namespace

std::vector<std::string> canonical_smiles(std::span<const std::string> smiles) {
  return detail::each_molecule(smiles, [](const auto& parsed) { return text_of(parsed); }).texts;
}

}  // namespace edgewise::data
