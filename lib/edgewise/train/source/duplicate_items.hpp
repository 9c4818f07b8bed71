#pragma once

#include <span>
#include <vector>

#include "edgewise/train/source/dataset.hpp"

/// @file
/// Items that are the same: molecules or reactions in several rows (repeated measurements, conformers, other
/// notations), pairs with the same source. A drawn split keeps them together.
namespace edgewise::train {

/// For each graph the first one that is the same molecule (data::canonical_smiles), and for each pair the first one
/// with the same source; empty if all differ, or if there are neither. Computed on first use.
const std::vector<graph::Node>& duplicate_of(const Dataset& data);

/// For each item with a label the first item with a label that is equal to it by `first` (see `duplicate_of`); for
/// other items the item itself.
std::vector<graph::Node> first_labelled(std::span<const graph::Node> first, const data::Labels& labels);

/// The labels of the items that are their own first one, by the result of `first_labelled`.
data::Labels labels_of_firsts(std::span<const graph::Node> first, data::Labels labels);

}  // namespace edgewise::train
