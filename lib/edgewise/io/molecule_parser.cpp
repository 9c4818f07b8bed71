#include "edgewise/io/molecule_parser.hpp"

#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <sstream>
#include <string_view>
#include <utility>

#include "edgewise/io/limits.hpp"
#include "edgewise/io/mixture_mark.hpp"
#include "edgewise/io/reaction_text.hpp"

namespace edgewise::io {
namespace {

constexpr std::size_t kLongestProblem = 160;

/// RDKit reports the reason for an invalid SMILES only to its error log, which is global. Molecules are therefore
/// parsed under a shared lock with the log switched off; one that fails is parsed again exclusively, with the log
/// captured.
std::shared_mutex& log_lock() {
  static std::shared_mutex lock;
  return lock;
}

void silence() {
  static std::once_flag once;
  std::call_once(once, [] { boost::logging::disable_logs("rdApp.*"); });
}

/// Captures the error log during its lifetime.
class CaughtLog {
 public:
  CaughtLog() : previous_(rdErrorLog) { rdErrorLog = std::make_shared<boost::logging::rdLogger>(&text_); }
  CaughtLog(const CaughtLog&) = delete;
  CaughtLog& operator=(const CaughtLog&) = delete;
  ~CaughtLog() { rdErrorLog = previous_; }
  std::string text() const { return text_.str(); }

 private:
  RDLogger previous_;
  std::ostringstream text_;
};

/// Shortens a message to one line without the time, RDKit's name of the error, and the input.
std::string short_problem(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.starts_with('[') && text.find("] ") != text.npos) text.remove_prefix(text.find("] ") + 2);
  constexpr std::string_view kPrefix = "SMILES Parse Error: ";
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  text = text.substr(0, text.find(" for input: '"));
  text = text.substr(0, text.find(" while parsing: "));
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text.empty() ? "RDKit cannot read it" : std::string(text.substr(0, kLongestProblem));
}

bool has_hydrogens(const RDKit::RWMol& molecule) {
  for (const RDKit::Atom* atom : molecule.atoms())
    if (atom->getAtomicNum() == 1) return true;
  return false;
}

/// Clears the numbers by which a reaction maps its atoms; returns whether there were any.
bool clear_atom_maps(RDKit::RWMol& molecule) {
  bool has_maps = false;
  for (RDKit::Atom* atom : molecule.atoms()) {
    has_maps = has_maps || atom->getAtomMapNum() != 0;
    atom->setAtomMapNum(0);
  }
  return has_maps;
}

/// The same molecule, whose stereochemistry no longer tells atoms by their numbers.
RDKit::RWMol* without_atom_maps(std::unique_ptr<RDKit::RWMol> molecule) {
  if (molecule && clear_atom_maps(*molecule)) RDKit::MolOps::assignStereochemistry(*molecule, true, true);
  return molecule.release();
}

RDKit::RWMol* sanitised_molecule(const std::string& smiles) {
  RDKit::SmilesParserParams parameters;
  if (smiles.find_first_of(" \t|") != std::string::npos)
    return without_atom_maps(std::unique_ptr<RDKit::RWMol>(RDKit::SmilesToMol(smiles, parameters)));
  parameters.sanitize = false;
  parameters.removeHs = false;
  std::unique_ptr<RDKit::RWMol> molecule(RDKit::SmilesToMol(smiles, parameters));
  if (!molecule) return nullptr;
  clear_atom_maps(*molecule);
  if (has_hydrogens(*molecule))
    RDKit::MolOps::removeHs(*molecule, false, true, true);
  else
    RDKit::MolOps::sanitizeMol(*molecule);
  if (smiles.find_first_of("@/\\") != std::string::npos) RDKit::MolOps::assignStereochemistry(*molecule, true);
  return molecule.release();
}

/// With map numbers, from which `maps` is filled, and with the hydrogens that have one.
RDKit::RWMol* mapped_molecule(const std::string& smiles, std::vector<int>& maps) {
  RDKit::SmilesParserParams parameters;
  parameters.sanitize = false;
  parameters.removeHs = false;
  std::unique_ptr<RDKit::RWMol> molecule(RDKit::SmilesToMol(smiles, parameters));
  if (!molecule) return nullptr;
  RDKit::MolOps::RemoveHsParameters hydrogens;
  hydrogens.removeMapped = false;
  hydrogens.showWarnings = false;
  RDKit::MolOps::removeHs(*molecule, hydrogens);
  maps.clear();
  for (const RDKit::Atom* atom : molecule->atoms()) maps.push_back(atom->getAtomMapNum());
  clear_atom_maps(*molecule);
  RDKit::MolOps::assignStereochemistry(*molecule, true, true);
  return molecule.release();
}

/// Drops a name that follows a space; an extension (|...|) stays.
std::string_view without_name(std::string_view smiles) {
  const std::size_t blank = smiles.find_first_of(" \t");
  if (blank == smiles.npos) return smiles;
  const std::size_t next = smiles.find_first_not_of(" \t", blank);
  return next != smiles.npos && smiles[next] == '|' ? smiles : smiles.substr(0, blank);
}

/// Counts digits outside of brackets: those that open or close a ring.
std::uint64_t ring_digits(std::string_view structure) {
  std::uint64_t digits = 0;
  bool in_bracket = false;
  for (const char c : structure) {
    if (c == '[' || c == ']') in_bracket = c == '[';
    if (!in_bracket && c >= '0' && c <= '9') ++digits;
  }
  return digits;
}

/// Detects texts that RDKit's scanner would read past the end of, and the empty text, which it accepts as a molecule
/// without atoms.
std::string problem_of_text(std::string_view smiles) {
  if (smiles.empty()) return "the SMILES is empty";
  if (smiles.starts_with("InChI=")) return "an InChI rather than a SMILES: convert it";
  if (is_reaction(smiles)) return "a reaction rather than a molecule";
  if (is_mixture(smiles)) return "several molecules rather than one";
  if (smiles.size() > limits().smiles_bytes)
    return "the SMILES is longer than " + std::to_string(limits().smiles_bytes) + " characters";
  // RDKit's time grows with the cube of their number.
  const auto marks = std::ranges::count_if(smiles, [](char c) { return c == '/' || c == '\\'; });
  if (static_cast<std::uint64_t>(marks) > limits().smiles_marks)
    return "more than " + std::to_string(limits().smiles_marks) + " marks of double bonds (/ and \\)";
  const std::string_view structure = smiles.substr(0, smiles.find_first_of(" \t"));
  if (structure.empty()) return "the SMILES starts with a blank";
  // RDKit repeats the ranking of atoms as often as a chain of them is long.
  if (structure.size() > limits().stereo_bytes && without_name(smiles).find_first_of("@/\\|") != smiles.npos)
    return "more than " + std::to_string(limits().stereo_bytes) + " characters with stereochemistry or an extension";
  // RDKit tries combinations of fused aromatic rings.
  if (ring_digits(structure) > limits().smiles_ring_digits)
    return "more than " + std::to_string(limits().smiles_ring_digits) + " digits that open or close a ring";
  for (std::size_t i = 0; i < structure.size(); ++i)
    if (structure[i] <= ' ' || structure[i] > '~')
      return "a character that no SMILES has, at position " + std::to_string(i + 1);
  return "";
}

/// RDKit's text for a range error is a piece of its own code, such as "idx".
std::string problem_of(const Invar::Invariant& error) {
  const std::string_view kind = error.std::runtime_error::what();
  return kind == "Range Error" ? "it refers to an atom or a bond that does not exist" : short_problem(error.what());
}

template <class Make>
ParsedMolecule parse(const Make& make) {
  silence();
  ParsedMolecule result;
  {
    const std::shared_lock lock(log_lock());
    if (!run_rdkit([&] { result.molecule.reset(make()); }, result.problem)) return result;
    if (result.molecule) return result;
  }
  const std::unique_lock lock(log_lock());
  const CaughtLog log;
  if (run_rdkit([&] { std::unique_ptr<RDKit::RWMol>(make()).reset(); }, result.problem))
    result.problem = short_problem(log.text());
  return result;
}

}  // namespace

ParsedMolecule::ParsedMolecule() = default;
ParsedMolecule::ParsedMolecule(ParsedMolecule&&) noexcept = default;
ParsedMolecule& ParsedMolecule::operator=(ParsedMolecule&&) noexcept = default;
ParsedMolecule::~ParsedMolecule() = default;

bool run_rdkit(const std::function<void()>& call, std::string& problem) {
  try {
    call();
    return true;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Invar::Invariant& error) {
    problem = problem_of(error);
  } catch (const std::exception& error) {
    problem = short_problem(error.what());
  }
  return false;
}

ParsedMolecule parse_smiles(const std::string& smiles) {
  ParsedMolecule refused;
  refused.problem = problem_of_text(smiles);
  if (!refused.problem.empty()) return refused;
  return parse([structure = std::string(without_name(smiles))] { return sanitised_molecule(structure); });
}

ParsedMolecule parse_mapped_smiles(const std::string& smiles) {
  ParsedMolecule refused;
  refused.problem = problem_of_text(smiles);
  if (!refused.problem.empty()) return refused;
  std::vector<int> maps;
  ParsedMolecule parsed = parse([&] { return mapped_molecule(smiles, maps); });
  parsed.maps = std::move(maps);
  return parsed;
}

std::optional<std::vector<std::size_t>> AtomOrder::places_in(std::size_t size) const {
  if (size == count) return places;
  if (size != places.size()) return std::nullopt;
  std::vector<std::size_t> sorted = places, ranks;
  std::ranges::sort(sorted);
  for (const std::size_t place : places)
    ranks.push_back(static_cast<std::size_t>(std::ranges::lower_bound(sorted, place) - sorted.begin()));
  return ranks;
}

bool AtomOrder::is_of_text() const {
  for (std::size_t atom = 0; atom < places.size(); ++atom)
    if (places[atom] != atom) return false;
  return count == places.size();
}

std::optional<AtomOrder> order_by_maps(const std::string& smiles) {
  if (smiles.find(':') == smiles.npos) return std::nullopt;
  const ParsedMolecule mapped = parse_mapped_smiles(smiles), plain = parse_smiles(smiles);
  if (!mapped.molecule || !plain.molecule) return std::nullopt;
  std::vector<int> numbers = mapped.maps;
  std::ranges::sort(numbers);
  if (numbers.empty() || numbers.front() == 0 || std::ranges::adjacent_find(numbers) != numbers.end())
    return std::nullopt;
  AtomOrder order{.places = {}, .count = numbers.size()};
  const bool has_merged = plain.molecule->getNumAtoms() < mapped.maps.size();
  for (const RDKit::Atom* atom : mapped.molecule->atoms()) {
    if (has_merged && atom->getAtomicNum() == 1) continue;
    const auto place = std::ranges::lower_bound(numbers, mapped.maps[atom->getIdx()]);
    order.places.push_back(static_cast<std::size_t>(place - numbers.begin()));
  }
  order.numbers = std::move(numbers);
  return order.places.size() == plain.molecule->getNumAtoms() ? std::optional(std::move(order)) : std::nullopt;
}

std::string canonical_text(const std::string& smiles) {
  constexpr unsigned kMostAtoms = 2000;
  const ParsedMolecule parsed = parse_smiles(smiles);
  if (!parsed.molecule || parsed.molecule->getNumAtoms() > kMostAtoms) return smiles;
  std::string text, problem;
  return run_rdkit([&] { text = RDKit::MolToSmiles(*parsed.molecule); }, problem) ? text : smiles;
}

int formal_charge(const std::string& smiles) {
  const ParsedMolecule parsed = parse_smiles(smiles);
  return parsed.molecule ? RDKit::MolOps::getFormalCharge(*parsed.molecule) : 0;
}

ParsedMolecule parse_mol_block(const std::string& block) {
  constexpr std::uint64_t kBytesOfAnAtom = 80;  // its line, and that of a bond
  if (block.size() > kBytesOfAnAtom * limits().stereo_bytes) {
    ParsedMolecule refused;
    refused.problem =
        "the mol block is longer than " + std::to_string(kBytesOfAnAtom * limits().stereo_bytes) + " bytes";
    return refused;
  }
  return parse([&] { return without_atom_maps(std::unique_ptr<RDKit::RWMol>(RDKit::MolBlockToMol(block))); });
}

}  // namespace edgewise::io
