#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/io/node_table.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Values of atoms and bonds in a table of their own, with a row for each.
namespace edgewise::train {

/// The table, and which of its rows each node of Dataset::graph has.
struct AtomTable {
  io::NodeTable table;
  std::vector<std::size_t> rows;  ///< kNoRow for a node without one.
  std::vector<std::string> notes = {};

  static constexpr std::size_t kNoRow = ~std::size_t{0};
  /// The value of each node, "" where there is none.
  std::vector<std::string> values_of(const io::Column& column) const;
  /// The line of each node, 0 where there is none.
  std::vector<std::uint64_t> lines() const;
};

/// The columns by which a table of atoms may name its molecules: those that the table of molecules may have, too.
const std::vector<std::string>& molecule_columns();

/// Reads DataConfig::atom_table of the molecules `data.atoms`. A row names a molecule (by its row from 1 in a column
/// "row", its name, or its SMILES), an atom, or the two atoms of a bond, and has the columns of values. Atoms have
/// their map numbers if all of a molecule have one, their places in the block of an SDF file, and else those in the
/// SMILES; places start with 0, or with 1 if no row says 0. Values of hydrogens that are part of other atoms are
/// skipped. DataConfig::atom_columns says which columns name them, and is set if it does not. Throws DataError with the
/// line for an unknown atom or bond, for a second row of one, and for an unknown molecule if DataConfig::strict, or if
/// labels are needed and no row is of a known one; else such rows are noted.
AtomTable read_atom_table(bool needs_labels, Dataset& data);

/// How such a table names the atoms of a molecule, counting from 0.
std::vector<std::size_t> atom_numbers(const AtomItems& items, std::size_t molecule);

}  // namespace edgewise::train
