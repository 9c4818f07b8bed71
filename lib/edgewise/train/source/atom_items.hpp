#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// Molecules whose atoms or bonds have the labels, which are lists in the cells of their table.
namespace edgewise::train {

/// Makes the atoms and bonds of molecules that were read the items, with the values that the cells of
/// DataConfig::atom_target and bond_target list: one for each atom (bond) in the order of the SMILES, or, if every atom
/// has a map number of its own, in the order of these numbers. Splits become theirs. If they have rows in a table,
/// nodes are called by their numbers there: "1:7" in row 1, and "1:7-3" for a bond. Throws DataError with the line for
/// a list of another length, and as data::read_labels; without LoadOptions::needs_labels such a list is unknown, with a
/// note.
void make_atom_items(const LoadOptions& options, Dataset& data);

/// What is learnt of a node: the targets of atoms, or those of bonds.
const std::vector<std::string>& targets_of(const Dataset& data, graph::Node node);

/// Whether the column of labels called `label` is one of bonds.
bool is_of_bonds(const DataConfig& reading, std::string_view label);

/// Adds the same to the values [nodes, 1] of all atoms of a molecule, so that they add up to its total, where it is
/// known.
void keep_totals(const AtomItems& items, Matrix& predictions);

/// The molecule that a node is in.
std::size_t molecule_of(const AtomItems& items, graph::Node node);

/// The atom that a node is, or those at the ends of the bond that it is, numbered within their molecule.
std::vector<graph::Node> atoms_of(const AtomItems& items, graph::Node node, const graph::Graph& graph);

/// The nodes of a molecule's bonds, or of its atoms: [first, second).
std::pair<graph::Node, graph::Node> part_of_molecule(const AtomItems& items, std::size_t molecule, bool are_bonds);

/// The role of each molecule; that of one without atoms is `none`.
data::Split split_of_molecules(const AtomItems& items, const data::Split& split);

}  // namespace edgewise::train
