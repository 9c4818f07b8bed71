#pragma once

#include <string>
#include <vector>

#include "edgewise/train/source/dataset.hpp"

/// @file
/// The same molecule in several rows (repeated measurements, conformers, other notations), or the same text.
namespace edgewise::train {

/// How many rows repeat which molecules, and whether their labels contradict each other; empty if all differ.
std::vector<std::string> repeat_notes(const Dataset& data);

/// A note if molecules or texts that are validated or tested on are trained on, too: molecules in a split that is
/// given, texts in any split.
std::vector<std::string> notes_on_shared_items(const Dataset& data, const data::Split& split);

}  // namespace edgewise::train
