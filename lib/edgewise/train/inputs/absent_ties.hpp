#pragma once

#include <string>

#include "edgewise/graph/ties.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// Reads pairs of nodes that are said to have no tie from a file, as read_node_pair_rows does, which also says what is
/// thrown. Those that are a tie of the network, one of `known`, are left out, with a note. Throws DataError as well if
/// none is left.
graph::Ties read_absent_ties(const std::string& path, const Dataset& data, const graph::Ties& known,
                             const NoteHook& note);

}  // namespace edgewise::train
