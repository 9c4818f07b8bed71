#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/train/use/model_data.hpp"

/// @file
/// Ranks of ties among other nodes than those that are drawn for each (train/inputs/link_batches.hpp).
namespace edgewise::train {

/// What ranks are found among: every node.
inline constexpr const char* kAllNodes = "all";

/// Finds the ranks of ties of `split` at both ends, where there are candidates: `among` is "all", every node without a
/// tie of any part there (the filtered ranks of Bordes et al. 2013), or a CSV file of pairs without ties, of which
/// those are candidates that share an end with the tie (as in HeaRT, Li et al. 2023). The model sees the ties of
/// training alone. O(ties * nodes) for "all". Throws DataError for a file that names none for any tie, and as
/// read_node_pairs.
std::vector<double> ranks_of_ties(ModelData& loaded, const data::Split& split, std::span<const graph::Node> ties,
                                  const std::string& among, const NoteHook& note);

/// "all nodes without a tie there", "those in hard.csv", or, if `among` is empty, "100 drawn nodes".
std::string describe_candidates(const std::string& among);

}  // namespace edgewise::train
