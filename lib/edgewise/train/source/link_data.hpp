#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/node_pairs.hpp"

/// @file
/// Networks whose ties are what is learnt: who is tied to whom, rather than what a node is.
namespace edgewise::train {

/// Throws UsageError for a request of ties that names a label.
void check_links(const DataConfig& config);

/// Makes the ties of a network the items, in the order of the user's edges. A tie that is repeated, or in an undirected
/// network reversed, is one; a node's tie to itself is none. Without kinds of nodes, ties have two sides if ten nodes or
/// more are only sources and as many only targets, and none is both. Of more than kMostTies the latest are items, by the
/// column `time` of the edges, or a sample if there is none; all with `asks_all`. Throws UsageError for data that is no
/// network of edges, DataError if there are fewer than three ties and for a text that is no time.
void make_links(Dataset& data, bool asks_all = false, const std::string& time = "");

inline constexpr std::size_t kMostTies = 500'000;

/// The nodes that some ties lead from or to, ascending.
std::vector<graph::Node> ends_of(const LinkItems& links, std::span<const graph::Node> ties);

/// Reads the roles of ties from a CSV file: source, target and split, with "train", "validation", "test" or "none". Ties
/// that it does not name have no role. Throws DataError with file and line for a pair that is no tie or is there twice,
/// and for another role.
data::Split read_link_split(const std::string& path, const Dataset& data);

void write_link_split(const std::string& path, const Dataset& data, const data::Split& split);

}  // namespace edgewise::train
