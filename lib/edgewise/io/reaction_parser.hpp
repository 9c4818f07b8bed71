#pragma once

#include <string>
#include <vector>

#include "edgewise/io/molecule_parser.hpp"

namespace edgewise::io {

/// A reaction whose atoms are joined by their map numbers, or the problem in one short line. Code that uses the
/// molecules must include GraphMol/RWMol.h.
struct ParsedReaction {
  static constexpr int kNone = -1;

  ParsedMolecule reactants, products;  ///< Null if there is a problem.
  std::vector<int> partners;           ///< Of each atom of the reactants: the same atom in the products, or kNone.
  std::string problem;
};

/// Parses `reactants>agents>products`. Hydrogens are atoms where they have a map number. Agents come last on both
/// sides; those with the map number of a product are reactants. Problems are, besides those of `parse_smiles`: a side
/// without atoms, no map number that is on both sides, one that is on two atoms of a side or on different elements.
/// Thread-safe.
ParsedReaction parse_reaction(const std::string& text);

}  // namespace edgewise::io
