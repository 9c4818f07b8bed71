#include "edgewise/data/scaffolds.hpp"

#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include <memory>

#include "edgewise/core/parallel.hpp"
#include "edgewise/io/molecule_parser.hpp"

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
  Scaffolds result{std::vector<std::string>(smiles.size()), std::vector<std::string>(smiles.size())};
  constexpr std::size_t kRows = 64;
  parallel_for(smiles.size(), kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      io::ParsedMolecule parsed = io::parse_smiles(smiles[i]);
      result.problems[i] = std::move(parsed.problem);
      if (parsed.molecule)
        io::run_rdkit([&] { result.smiles[i] = scaffold_of(*parsed.molecule); }, result.problems[i]);
    }
  });
  return result;
}

}  // namespace edgewise::data
