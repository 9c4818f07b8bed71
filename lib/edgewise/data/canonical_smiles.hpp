#pragma once

#include <span>
#include <string>
#include <vector>

namespace edgewise::data {

/// RDKit's canonical SMILES with stereochemistry: the same text for the same molecule, however it is written; for a
/// reaction, also for other atom map numbers; of several molecules with their shares, in any order if it says nothing.
/// One per row, "" if RDKit cannot read it, and for a molecule of more than 2,000 atoms. Parallel over rows; the result
/// does not depend on the number of threads.
std::vector<std::string> canonical_smiles(std::span<const std::string> smiles);

}  // namespace edgewise::data
