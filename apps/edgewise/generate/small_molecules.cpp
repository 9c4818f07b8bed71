#include "generate/small_molecules.hpp"

#include <GraphMol/Descriptors/Crippen.h>
#include <GraphMol/Descriptors/MolSurf.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <ostream>
#include <string_view>
#include <unordered_set>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/folder.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/molecule_parser.hpp"

namespace edgewise::app {
namespace {

constexpr std::size_t kMaxMolecules = 100000;
constexpr std::size_t kTriesPerMolecule = 50;

/// Attachment points for branches are written "{}"; one left empty disappears.
constexpr std::array<std::string_view, 24> kCores = {
    "c1({})cc({})cc({})c1",          // benzene
    "c1({})ncc({})cc1{}",            // pyridine
    "c1({})nc({})ncc1{}",            // pyrimidine
    "c1({})cc({})c({})o1",           // furan
    "c1({})cc({})c({})s1",           // thiophene
    "c1({})c({})nc({})[nH]1",        // imidazole
    "n1({})nc({})cc1{}",             // pyrazole
    "c1({})nc({})c({})s1",           // thiazole
    "c1({})ccc2cc({})c({})cc2c1",    // naphthalene
    "c1({})ccc2[nH]c({})c({})c2c1",  // indole
    "c1({})ccc2nc({})c({})cc2c1",    // quinoline
    "c1({})ccc2oc({})nc2c1{}",       // benzoxazole
    "C1({})CCC({})CC1{}",            // cyclohexane
    "C1({})CC({})CC1{}",             // cyclopentane
    "C1({})CN({})CCN1{}",            // piperazine
    "C1({})CCN({})CC1{}",            // piperidine
    "O1CCN({})CC1{}",                // morpholine
    "C1({})OCCC1{}",                 // oxolane
    "O=C1CC({})CN1{}",               // pyrrolidinone
    "C({})CC({})C{}",                // chains
    "C({})C=CC{}",
    "C({})COCC{}",
    "C({})(C)C({})C{}",
    "C({})CN(C)C{}",
};
constexpr std::array<std::string_view, 12> kLinkers = {"",     "",     "C",   "CC",      "CCC",    "O",
                                                       "OC", "C(C)", "NC", "C(=O)N", "C(=O)C", "S(=O)(=O)C"};
constexpr std::array<std::string_view, 24> kGroups = {
    "",           "C",  "C(C)C",    "CCCC",  "C(F)(F)F", "F",       "Cl",     "Br",  "O",
    "OC",         "N",  "N(C)C",    "C#N",   "C(=O)O",   "C(=O)OC", "C(=O)N", "C=O", "[N+](=O)[O-]",
    "S(=O)(=O)N", "SC", "c9ccccc9", "C9CC9", "c9ccncc9", "C#C"};

template <std::size_t Size>
std::string_view pick(const std::array<std::string_view, Size>& choices, Random& random) {
  return choices[random.below(Size)];
}

/// A linker and a group, or "" in two out of five cases.
std::string draw_branch(Random& random) {
  if (random.below(5) < 2) return "";
  const std::string_view linker = pick(kLinkers, random);
  return std::string(linker).append(pick(kGroups, random));
}

/// The core with branches at its attachment points. An empty branch also removes its parentheses.
std::string draw_candidate(Random& random) {
  std::string smiles(pick(kCores, random));
  for (std::size_t at = smiles.find("{}"); at != std::string::npos; at = smiles.find("{}")) {
    const std::string branch = draw_branch(random);
    const bool is_in_parentheses = at > 0 && smiles[at - 1] == '(';
    if (branch.empty() && is_in_parentheses)
      smiles.erase(at - 1, 4);
    else
      smiles.replace(at, 2, branch);
  }
  return smiles;
}

/// Adds the molecule if it is valid and new.
void add(const std::string& candidate, std::unordered_set<std::string>& seen, SmallMolecules& result) {
  const io::ParsedMolecule parsed = io::parse_smiles(candidate);
  if (!parsed.molecule) return;
  std::string smiles = RDKit::MolToSmiles(*parsed.molecule);
  if (!seen.insert(smiles).second) return;
  double logp = 0, refractivity = 0;
  RDKit::Descriptors::calcCrippenDescriptors(*parsed.molecule, logp, refractivity);
  result.logp.push_back(static_cast<float>(logp));
  result.tpsa.push_back(static_cast<float>(RDKit::Descriptors::calcTPSA(*parsed.molecule)));
  result.smiles.push_back(std::move(smiles));
}

data::Split draw_split(std::size_t rows, std::uint64_t seed) {
  data::Labels labels;
  labels.task = data::Task::regression;
  labels.targets = Matrix::Zero(static_cast<Eigen::Index>(rows), 1);
  return data::random_split(labels, data::kMoleculeShares, seed);
}

}  // namespace

SmallMolecules generate_small_molecules(const SmallMoleculeOptions& options) {
  if (options.count < 1 || options.count > kMaxMolecules)
    throw UsageError(
        fmt::format("small molecules: expected a count from 1 to {}, got {}", kMaxMolecules, options.count));
  SmallMolecules result;
  std::unordered_set<std::string> seen;
  Random random(options.seed, Stream::generate);
  for (std::size_t i = 0; i < kTriesPerMolecule * options.count && result.smiles.size() < options.count; ++i)
    add(draw_candidate(random), seen, result);
  if (result.smiles.size() < options.count)
    throw UsageError(fmt::format("small molecules: found only {} different ones of {}", result.smiles.size(),
                                 options.count));
  result.split = draw_split(options.count, options.seed);
  return result;
}

void write_small_molecules(const std::string& directory, const SmallMolecules& molecules) {
  make_folder(directory);
  write_file_atomically((std::filesystem::path(directory) / "molecules.csv").string(), [&](std::ostream& out) {
    out << "smiles,logp,tpsa,split\n";
    for (std::size_t i = 0; i < molecules.smiles.size(); ++i)
      out << fmt::format("{},{:.4f},{:.2f},{}\n", molecules.smiles[i], molecules.logp[i], molecules.tpsa[i],
                         data::role_name(molecules.split[i]));
  });
}

}  // namespace edgewise::app
