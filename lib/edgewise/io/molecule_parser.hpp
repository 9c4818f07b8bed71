#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace RDKit {
class RWMol;
}

/// @file
/// All parsing with RDKit goes through here: it prints nothing, and RDKit's error messages are kept. Code that uses the
/// molecules must include GraphMol/RWMol.h.
namespace edgewise::io {

/// A sanitised molecule, or the problem in one short line. Atoms are in the order of the text, without the explicit
/// hydrogens that RDKit merges into their neighbours and without atom map numbers: [CH3:1][OH:2] is CO.
struct ParsedMolecule {
  ParsedMolecule();
  ParsedMolecule(ParsedMolecule&&) noexcept;
  ParsedMolecule& operator=(ParsedMolecule&&) noexcept;
  ~ParsedMolecule();

  std::unique_ptr<RDKit::RWMol> molecule;  ///< Null if there is a problem.
  std::vector<int> maps;                   ///< By `parse_mapped_smiles`: the map number of each atom, 0 for none.
  std::string problem;
};

/// Parses a SMILES. A space and a CXSMILES extension or a name may follow; the name is dropped. The result is the same
/// as from RDKit's `SmilesToMol` for a text without atom map numbers, but two steps are skipped if they have no effect:
/// merging hydrogens in a molecule without hydrogen atoms, and perceiving stereochemistry in a text without any of @, /
/// and \. Thread-safe. The first call disables RDKit's log for the whole process.
ParsedMolecule parse_smiles(const std::string& smiles);

/// The same for one side of a reaction: hydrogens with an atom map number stay atoms. The numbers are in `maps`; they
/// do not affect the stereochemistry. Thread-safe.
ParsedMolecule parse_mapped_smiles(const std::string& smiles);

/// The order in which map numbers, or a mol block, put the atoms of a molecule.
struct AtomOrder {
  std::vector<std::size_t> places;  ///< For each atom of `parse_smiles`: 1 and 0 for [CH3:2][OH:1].
  std::size_t count = 0;            ///< Of places, including those of hydrogens that are merged into others.
  std::vector<int> numbers = {};    ///< The map number of each place; none for a mol block.

  /// Whether that is the order of the text.
  bool is_of_text() const;
  /// For each atom its place in a list of `size` values, of all atoms or without the hydrogens that are merged into
  /// others; nothing if the list has another length.
  std::optional<std::vector<std::size_t>> places_in(std::size_t size) const;
  /// The map number of a place, or the place itself.
  std::size_t number_at(std::size_t place) const {
    return numbers.empty() ? place : static_cast<std::size_t>(numbers[place]);
  }
};

/// Nothing unless every atom has a number of its own. Thread-safe.
std::optional<AtomOrder> order_by_maps(const std::string& smiles);

/// The SMILES that RDKit writes for a molecule, which is one for all writings; the text itself if it cannot be parsed,
/// and for more than 2,000 atoms, which would use up the stack. Thread-safe.
std::string canonical_text(const std::string& smiles);

/// 0 for a text that cannot be parsed. Thread-safe.
int formal_charge(const std::string& smiles);

/// Parses a mol block (V2000 or V3000), with stereochemistry from its wedges or coordinates. Thread-safe.
ParsedMolecule parse_mol_block(const std::string& block);

/// Runs an RDKit call; returns false with the reason if it throws (out-of-memory is rethrown). Thread-safe.
bool run_rdkit(const std::function<void()>& call, std::string& problem);

}  // namespace edgewise::io
