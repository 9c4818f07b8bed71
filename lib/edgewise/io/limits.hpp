#pragma once

#include <cstdint>

namespace edgewise::io {

/// The resources a file may claim from a reader. Far above what real data needs, and low enough that a small hostile
/// file cannot cost gigabytes or minutes. They apply to the whole process; docs/security.md says which reader enforces
/// which.
struct Limits {
  std::uint64_t line_bytes = std::uint64_t{16}
                             << 20;                   ///< One line of delimited text, or a quoted record.
  std::uint64_t text_bytes = std::uint64_t{1} << 30;  ///< A file held in memory as a whole, decompressed.
  std::uint64_t columns = 1'000'000;                  ///< Columns of a table.
  std::uint64_t free_cells = 4'000'000;               ///< Node and edge values allowed in a file of any length ...
  std::uint64_t cells_per_byte = 8;                   ///< ... plus this many per byte.
  std::uint64_t free_edges = 1'000'000;               ///< Edges allowed in a DOT file of any length ...
  std::uint64_t edges_per_byte = 1;                   ///< ... plus this many per byte.
  std::uint64_t smiles_bytes = 25'000;                ///< The SMILES of one molecule.
  /// One molecule whose stereochemistry must be perceived; for a mol block, 80 times that.
  std::uint64_t stereo_bytes = 1'500;
  std::uint64_t smiles_marks = 300;          ///< Double bond marks (/ and \) in one molecule.
  std::uint64_t smiles_ring_digits = 2'000;  ///< Ring bond digits in one molecule.

  std::uint64_t cells(std::uint64_t bytes) const { return free_cells + cells_per_byte * bytes; }
  std::uint64_t edges(std::uint64_t bytes) const { return free_edges + edges_per_byte * bytes; }
};

const Limits& limits();

/// Multiplies the default value of every limit by `factor`. Do not call while files are being read. Throws UsageError
/// unless `factor` is from 1 to 1000.
void raise_limits(double factor);

}  // namespace edgewise::io
