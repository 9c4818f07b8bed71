#pragma once

#include <span>
#include <string>
#include <vector>

namespace edgewise::data {

/// The scaffold of each molecule: its rings and their linkers (Bemis and Murcko 1996, as computed by RDKit's
/// MurckoDecompose), as canonical SMILES without stereochemistry. A molecule without rings has the scaffold "". That of
/// a reaction is that of its reactants; of several molecules that of the first or, if their order says nothing, those
/// of all. One per row; "" also for one that RDKit cannot read. Parallel over rows; the result does not depend on the
/// number of threads.
std::vector<std::string> murcko_scaffolds(std::span<const std::string> smiles);

}  // namespace edgewise::data
