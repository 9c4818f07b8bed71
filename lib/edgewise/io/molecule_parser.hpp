#pragma once

#include <functional>
#include <memory>
#include <string>

namespace RDKit {
class RWMol;
}

/// @file
/// All that is parsed by RDKit comes through here: it prints nothing, and what it has to say of a bad molecule is kept.
/// Who uses the molecules includes GraphMol/RWMol.h.
namespace edgewise::io {

/// A sanitised molecule, its atoms in the order of the text without explicit hydrogens that RDKit merges into their
/// neighbours; or the reason in one short line.
struct ParsedMolecule {
  ParsedMolecule();
  ParsedMolecule(ParsedMolecule&&) noexcept;
  ParsedMolecule& operator=(ParsedMolecule&&) noexcept;
  ~ParsedMolecule();

  std::unique_ptr<RDKit::RWMol> molecule;  ///< Null when there is a problem.
  std::string problem;
};

/// Parses a SMILES, which may be followed by a blank and a CXSMILES extension or a name, which is not kept. The result
/// is otherwise that of RDKit's own `SmilesToMol`, but two steps are left out where they have nothing to do: the search
/// for hydrogens to merge in a molecule without hydrogen atoms, and that for stereochemistry in a text without any of
/// @, / and \. Thread-safe. RDKit's log is switched off for the whole process by the first call.
ParsedMolecule parse_smiles(const std::string& smiles);

/// Parses a mol block (V2000 or V3000), with stereochemistry from its wedges or coordinates. Thread-safe.
ParsedMolecule parse_mol_block(const std::string& block);

/// Runs a call of RDKit; false with the reason when it throws (but lack of memory is thrown on). Thread-safe.
bool run_rdkit(const std::function<void()>& call, std::string& problem);

}  // namespace edgewise::io
