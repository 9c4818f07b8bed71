#pragma once

#include <vector>

#include "edgewise/io/predictions.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Predictions of atoms and bonds as they were given: lists in a row for each molecule.
namespace edgewise::train {

/// A table of predictions of items as it is written. That of atoms and bonds gets a row for each molecule and, in place
/// of a value, the list of those of its atoms (bonds). Bonds are also listed by their atoms, from 0. `kept`: columns of
/// molecules to put first.
io::Predictions as_written(const Dataset& data, io::Predictions table, std::vector<io::TextColumn> kept = {});

/// What the rows of written predictions are called: the molecules if atoms are the items.
const graph::NodeNames& names_of_rows(const Dataset& data);

}  // namespace edgewise::train
