#pragma once

#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// Keeps the largest connected component of the graph of a node-level job (the first in case of a tie), with its rows
/// of the table, features, labels and splits; a note gives the number of nodes removed.
void keep_largest_component(Dataset& data);

}  // namespace edgewise::train
