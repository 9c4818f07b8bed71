#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

struct FingerprintOptions {
  unsigned radius = 2;  ///< Radius of an atom's environment, in bonds.
  std::size_t bits = 2048;
  bool counts = false;  ///< Count the occurrences of a substructure instead of storing 1.
  /// Adds an environment for each stereocentre and each double bond with stereo, so that stereoisomers differ, and
  /// merges hydrogens with an isotope into their neighbours.
  bool stereo = false;
};

struct Fingerprints {
  Features features;  ///< [rows, bits], sparse, 1 (or a count) for each set bit; problem rows are empty.
  std::vector<std::string> problems;  ///< One per row: "" if all is well, else RDKit's reason in one short line.
};

/// Morgan fingerprints (Rogers and Hahn 2010: ECFP4 at radius 2), by default without chirality, the usual way to
/// compare molecules without a graph network. A reaction has bits for the environments that vanish, that appear and
/// that stay: a difference as of Schneider et al. 2015, with its signs as bits. Of several molecules each has bits of
/// its own, unless their order says nothing; counts are weighted by their shares. Parallel over rows; the result does
/// not depend on the number of threads. Throws UsageError if `bits` is 0 or more than 2^24.
Fingerprints morgan_fingerprints(std::span<const std::string> smiles, const FingerprintOptions& options = {});

}  // namespace edgewise::data
