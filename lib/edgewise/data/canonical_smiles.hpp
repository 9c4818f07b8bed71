#pragma once

#include <span>
#include <string>
#include <vector>

namespace edgewise::data {

/// RDKit's canonical SMILES of molecules, with stereochemistry: the same text for the same molecule, however it is
/// written. One a row, "" where RDKit cannot read it. In parallel over rows; the same for any number of threads.
std::vector<std::string> canonical_smiles(std::span<const std::string> smiles);

}  // namespace edgewise::data
