#pragma once

#include <string>

#include "edgewise/graph/ties.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/node_pairs.hpp"

namespace edgewise::train {

/// Pairs of nodes that are said to have no tie.
struct AbsentTies {
  NodePairs pairs;      ///< In the order in which they were said.
  graph::Ties by_node;  ///< The same.
};

/// Reads them from a file, as read_node_pair_rows does, which also says what is thrown. Those that are a tie of the network,
/// one of `known`, are left out, with a note. Throws DataError as well if none is left, and for a pair on one side of a
/// network with two.
AbsentTies read_absent_ties(const std::string& path, const Dataset& data, const graph::Ties& known,
                            const NoteHook& note);

}  // namespace edgewise::train
