#pragma once

#include <string>

namespace edgewise::io {

/// The same reaction with atom map numbers, if no number is on both of its sides; else, and if it cannot be read, the
/// text itself. Two atoms of one element that are alike as far around as possible are the same atom, then their
/// neighbours along bonds of any order, and so on; of several such beginnings that with the fewest changes of bonds is
/// kept, then of hydrogens and charges, and what is left begins anew. So what is equal on both sides has not reacted,
/// and a group that is replaced by its like looks idle. O(atoms^3). The same on every machine. Thread-safe.
std::string align_reaction(const std::string& text);

/// Reactions with more on a side stay as they are.
inline constexpr unsigned kMostAlignedAtoms = 300;

}  // namespace edgewise::io
