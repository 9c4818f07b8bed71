#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/train/source/dataset.hpp"


/// @file
/// The same molecule in several rows (repeated measurements, conformers, other notations), or the same text.
namespace edgewise::train {

/// For each graph the first one that is the same molecule (data::canonical_smiles), and for each pair the first one
/// with the same source; empty if all differ, or if there are neither. Computed on first use.
const std::vector<graph::Node>& first_equals(const Dataset& data);

/// How many rows repeat which molecules, and whether their labels contradict each other; empty if all differ.
std::vector<std::string> repeat_notes(const Dataset& data);

/// A note if molecules or texts that are validated or tested on are trained on, too: molecules in a split that is
/// given, texts in any split.
std::vector<std::string> notes_on_shared_items(const Dataset& data, const data::Split& split);

/// For each item with a label the first item with a label that is equal to it by `first` (see `first_equals`); for
/// other items the item itself.
std::vector<graph::Node> first_labelled(std::span<const graph::Node> first, const data::Labels& labels);

/// The labels of the items that are their own first one, by the result of `first_labelled`.
data::Labels labels_of_firsts(std::span<const graph::Node> first, data::Labels labels);

}  // namespace edgewise::train
