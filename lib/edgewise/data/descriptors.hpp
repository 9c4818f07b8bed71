#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"

namespace RDKit {
class RWMol;
}

/// @file
/// Numbers that describe a molecule as a whole.
namespace edgewise::data {

/// The columns of `molecule_descriptors`: properties by RDKit's names (masses, counts of groups and rings, Crippen's
/// logP and refractivity, surfaces, chi and kappa indices), surface areas by logP, refractivity and partial charge
/// ("SlogP_VSA1"
/// ...), and the 42 molecular quantum numbers ("MQN1" ...; Nguyen et al. 2009). 118 in all.
std::vector<std::string> descriptor_names();

struct MoleculeDescriptors {
  Matrix values;                      ///< [rows, descriptors]; NaN where RDKit gives none, and in rows with a problem.
  std::vector<std::string> problems;  ///< One a row: "" when all is well, else RDKit's reason in one short line.
};

/// Computes the descriptors of one molecule after the other.
class MoleculeDescriber {
 public:
  MoleculeDescriber();
  MoleculeDescriber(const MoleculeDescriber&) = delete;
  MoleculeDescriber& operator=(const MoleculeDescriber&) = delete;
  ~MoleculeDescriber();

  /// Writes `row` [descriptors], or leaves it as it is and returns why in one short line. Finds the stereochemistry of
  /// the molecule anew.
  std::string describe(RDKit::RWMol& molecule, float* row) const;

 private:
  struct Properties;
  std::unique_ptr<Properties> properties_;
};

/// RDKit's descriptors of molecules. In parallel over rows; the same for any number of threads.
MoleculeDescriptors molecule_descriptors(std::span<const std::string> smiles);

}  // namespace edgewise::data
