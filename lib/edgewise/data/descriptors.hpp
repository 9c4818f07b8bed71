#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"

namespace RDKit {
class RWMol;
}

namespace edgewise::io {
struct ParsedMixture;
struct ParsedReaction;
}

/// @file
/// Numbers that describe a whole molecule.
namespace edgewise::data {

/// The columns of `molecule_descriptors`, 118 in all: properties by RDKit's names (masses, counts of groups and rings,
/// Crippen's logP and refractivity, surfaces, chi and kappa indices), surface areas by logP, refractivity and partial
/// charge ("SlogP_VSA1" ...), and the 42 molecular quantum numbers ("MQN1" ...; Nguyen et al. 2009).
std::vector<std::string> descriptor_names();

/// Those of reactions: of the reactants ("tpsa"), and what the products have more ("change of tpsa").
std::vector<std::string> reaction_descriptor_names();

/// Those of `count` molecules in a row: of each ("tpsa of molecule 2"), or of all.
std::vector<std::string> mixture_descriptor_names(std::size_t count, bool is_sum);

struct MoleculeDescriptors {
  Matrix values;                      ///< [rows, descriptors]; NaN where RDKit gives none, and in problem rows.
  std::vector<std::string> problems;  ///< One per row: "" if all is well, else RDKit's reason in one short line.
};

/// Computes the descriptors of molecules, one at a time.
class MoleculeDescriber {
 public:
  MoleculeDescriber();
  MoleculeDescriber(const MoleculeDescriber&) = delete;
  MoleculeDescriber& operator=(const MoleculeDescriber&) = delete;
  ~MoleculeDescriber();

  /// Writes `row` [descriptors]. On failure leaves it unchanged and returns the reason in one short line. Recomputes
  /// the stereochemistry of the molecule.
  std::string describe(RDKit::RWMol& molecule, float* row) const;
  /// The same for a reaction, whose `row` has the columns of `reaction_descriptor_names`.
  std::string describe_reaction(io::ParsedReaction& reaction, float* row) const;
  /// The same for several molecules, with the columns of `mixture_descriptor_names`: the numbers of each times its
  /// share, side by side or summed. A molecule that is not there has 0.
  std::string describe_mixture(io::ParsedMixture& mixture, float* row) const;

 private:
  struct Properties;
  std::unique_ptr<Properties> properties_;
};

/// RDKit's descriptors of molecules, of reactions, or of `count` molecules each. Parallel over rows; the result does
/// not depend on the number of threads.
MoleculeDescriptors molecule_descriptors(std::span<const std::string> smiles);
MoleculeDescriptors reaction_descriptors(std::span<const std::string> reactions);
MoleculeDescriptors mixture_descriptors(std::span<const std::string> mixtures, std::size_t count, bool is_sum);

}  // namespace edgewise::data
