#pragma once

#include <cstddef>
#include <cstdint>

namespace edgewise::io {

/// What a file may ask of a reader. Far above what data needs, and low enough that a small hostile file cannot cost
/// gigabytes or minutes. They hold for the whole process; docs/security.md says which reader keeps which.
struct Limits {
  std::uint64_t line_bytes = std::uint64_t{16}
                             << 20;                   ///< Of delimited text: a line, or a record with quoted line ends.
  std::uint64_t text_bytes = std::uint64_t{1} << 30;  ///< Of a file that is held whole, unpacked.
  std::uint64_t columns = 1'000'000;                  ///< Of a table.
  std::uint64_t free_cells = 4'000'000;               ///< Values of nodes and edges a file of any length may have ...
  std::uint64_t cells_per_byte = 8;                   ///< ... and for each byte so many more.
  std::uint64_t free_edges = 1'000'000;               ///< Edges a DOT file of any length may have ...
  std::uint64_t edges_per_byte = 1;                   ///< ... and for each byte so many more.
  std::uint64_t smiles_bytes = 25'000;                ///< Of one molecule.
  /// Of one molecule whose stereochemistry is to be found; of a mol block 80 times that.
  std::uint64_t stereo_bytes = 1'500;
  std::uint64_t smiles_marks = 300;          ///< Of double bonds (/ and \) in one molecule.
  std::uint64_t smiles_ring_digits = 2'000;  ///< That open or close a ring in one molecule.

  std::uint64_t cells(std::uint64_t bytes) const { return free_cells + cells_per_byte * bytes; }
  std::uint64_t edges(std::uint64_t bytes) const { return free_edges + edges_per_byte * bytes; }
};

const Limits& limits();

/// Multiplies all of the limits above as they are by default. Not while files are read. Throws UsageError unless
/// `factor` is from 1 to 1000.
void raise_limits(double factor);

}  // namespace edgewise::io
