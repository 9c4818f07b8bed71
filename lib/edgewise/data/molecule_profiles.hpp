#pragma once

#include <bitset>
#include <span>
#include <string>
#include <vector>

namespace edgewise::data {

/// A Morgan fingerprint (Rogers and Hahn 2010) of radius 2 without chirality and counts.
using MoleculeBits = std::bitset<1024>;

/// Tanimoto similarity: the share of the bits of either that both have. 1 if none has any.
double tanimoto(const MoleculeBits& a, const MoleculeBits& b);

/// What tells at a glance whether a molecule is like others.
struct MoleculeProfile {
  MoleculeBits bits;
  std::vector<std::string> atoms;  ///< Elements with their formal charge, "C", "N+", "Fe3+": ascending, each once.
  int size = 0;                    ///< Heavy atoms.
  int parts = 0;                   ///< Not bound to each other.
  int charge = 0;                  ///< Of all atoms together.

  bool is_readable() const { return parts > 0; }
};

/// One per row: a molecule, a reaction (whose bits are of what changes and what stays, and whose size, parts and charge
/// are those of the reactants), or several molecules (each with bits of its own, unless their order says nothing);
/// empty for rows that RDKit cannot read. Parallel over rows; the result does not depend on the number of threads.
std::vector<MoleculeProfile> molecule_profiles(std::span<const std::string> smiles);

}  // namespace edgewise::data
