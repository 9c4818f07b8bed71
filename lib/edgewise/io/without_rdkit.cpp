/// @file
/// What of this module needs RDKit, in a build without it: molecules cannot be read.
#include "edgewise/core/error.hpp"
#include "edgewise/io/mixture_parser.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/molecule_parts.hpp"
#include "edgewise/io/molecule_picture.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/io/reaction_alignment.hpp"
#include "edgewise/io/reaction_parser.hpp"

class RDKit::RWMol {};  // there is never one

namespace edgewise::io {
namespace {

constexpr const char* kProblem = "molecules need RDKit, without which this copy of Edgewise was built";

}  // namespace

ParsedMolecule::ParsedMolecule() = default;
ParsedMolecule::ParsedMolecule(ParsedMolecule&&) noexcept = default;
ParsedMolecule& ParsedMolecule::operator=(ParsedMolecule&&) noexcept = default;
ParsedMolecule::~ParsedMolecule() = default;

ParsedMolecule parse_smiles(const std::string&) {
  ParsedMolecule parsed;
  parsed.problem = kProblem;
  return parsed;
}

ParsedMolecule parse_mapped_smiles(const std::string& smiles) { return parse_smiles(smiles); }

bool AtomOrder::is_of_text() const { return true; }

std::string canonical_text(const std::string& smiles) { return smiles; }

int formal_charge(const std::string&) { return 0; }

std::optional<AtomOrder> order_by_maps(const std::string&) { return std::nullopt; }

ParsedReaction parse_reaction(const std::string&) {
  ParsedReaction parsed;
  parsed.problem = kProblem;
  return parsed;
}

std::string align_reaction(const std::string& text) { return text; }

ParsedMixture parse_mixture(const std::string&, std::span<const std::string>) {
  return {.parts = {}, .is_sum = false, .problem = kProblem};
}

ParsedMolecule parse_mol_block(const std::string& block) { return parse_smiles(block); }

bool run_rdkit(const std::function<void()>&, std::string& problem) {
  problem = kProblem;
  return false;
}

std::vector<SideGroup> side_groups(const std::string&) { return {}; }
std::vector<std::string> atom_symbols(const std::string&) { return {}; }
std::string without_parts(const std::string&, std::span<const std::uint32_t>,
                          std::span<const std::pair<std::uint32_t, std::uint32_t>>) {
  return "";
}

std::string draw_molecules(std::span<const DrawnMolecule>, const PictureText&, bool) { throw UsageError(kProblem); }
std::string draw_reaction(const std::string&, std::span<const float>, std::span<const BondWeight>, const PictureText&,
                          bool) {
  throw UsageError(kProblem);
}

MoleculeTable read_sdf(const std::string&, const MoleculeTableOptions&) { throw UsageError(kProblem); }

}  // namespace edgewise::io
