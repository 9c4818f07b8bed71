#pragma once

#include <string>
#include <vector>

#include "edgewise/io/predictions.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Predictions of atoms and bonds as they were given: lists in a row for each molecule, or a row for each atom.
namespace edgewise::train {

/// A table of predictions of items as it is written. That of atoms and bonds gets a row for each molecule and, in place
/// of a value, the list of those of its atoms (bonds). Bonds are also listed by their atoms, from 0. `kept`: columns of
/// molecules to put first. If the model was trained on a table of atoms, there is a row for each atom (bond), with its
/// numbers as in such a table, and one for each molecule that cannot be read.
io::Predictions as_written(const Dataset& data, io::Predictions table, std::vector<io::TextColumn> kept = {});

/// The same in lists, whatever the training table was.
io::Predictions as_lists(const Dataset& data, io::Predictions table, std::vector<io::TextColumn> kept = {});

/// Whether a column of predictions says something of atoms, or of bonds.
bool says_of(const DataConfig& reading, const std::string& column, bool are_bonds);

/// What the rows of written predictions are called: the molecules if atoms are the items.
const graph::NodeNames& names_of_rows(const Dataset& data);

}  // namespace edgewise::train
