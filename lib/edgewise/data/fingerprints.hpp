#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

struct FingerprintOptions {
  unsigned radius = 2;  ///< Bonds from an atom to the rim of what it sees.
  std::size_t bits = 2048;
  bool counts = false;  ///< How often a substructure occurs, in place of 1.
};

struct Fingerprints {
  Features features;  ///< [rows, bits], sparse, 1 (or a count) where a bit is set; a row with a problem is empty.
  std::vector<std::string> problems;  ///< One a row: "" when all is well, else RDKit's reason in one short line.
};

/// Morgan fingerprints (Rogers and Hahn 2010: ECFP4 at radius 2) without chirality: what a molecule is compared by when
/// there is no graph network. In parallel over rows; the same for any number of threads.
/// Throws UsageError when there is no bit, or more than 2^24.
Fingerprints morgan_fingerprints(std::span<const std::string> smiles, const FingerprintOptions& options = {});

}  // namespace edgewise::data
