#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"

/// @file
/// Numbers that describe a molecule as a whole, and how numbers of any unit are made alike.
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

/// RDKit's descriptors of molecules. In parallel over rows; the same for any number of threads.
MoleculeDescriptors molecule_descriptors(std::span<const std::string> smiles);

}  // namespace edgewise::data
