#pragma once

#include <span>
#include <string>
#include <vector>

namespace edgewise::data {

/// The frame of each molecule: its rings and what links them (Bemis and Murcko 1996, as RDKit's MurckoDecompose has
/// it), as canonical SMILES without stereochemistry. A molecule without rings has the scaffold "".
struct Scaffolds {
  std::vector<std::string> smiles;    ///< One a row; "" also where there is a problem.
  std::vector<std::string> problems;  ///< One a row: "" when all is well, else RDKit's reason in one short line.
};

/// In parallel over rows; the same for any number of threads.
Scaffolds murcko_scaffolds(std::span<const std::string> smiles);

}  // namespace edgewise::data
