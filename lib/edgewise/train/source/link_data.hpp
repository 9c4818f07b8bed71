#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/node_pairs.hpp"

/// @file
/// Networks whose ties are what is learnt: who is tied to whom, rather than what a node is.
namespace edgewise::train {

/// How ties are made of edges.
struct TieOptions {
  bool asks_all = false;   ///< All are items, however many there are.
  std::string time = {};   ///< A column of the edges with times; a tie has the earliest of its edges. Empty: none.
  std::optional<bool> has_two_sides = {};  ///< What a model was trained on.
  std::size_t fewest = 3;  ///< Ties that there must be: one for each part of a split.
};

/// Throws UsageError for a request of ties that names a label.
void check_links(const DataConfig& config);

/// Makes the ties of a network the items, in the order of the user's edges. A tie that is repeated, or in an undirected
/// network reversed, is one; a node's tie to itself is none. Without kinds of nodes, ties have two sides if ten nodes or
/// more are only sources and as many only targets, and none is both, or as the options say. Of more than kMostTies the
/// latest are items, or a sample without times. Throws UsageError for data that is no network of edges, DataError if
/// there are fewer ties than the options say, for a node on both of two sides and for a text that is no time.
void make_links(Dataset& data, const TieOptions& options = {});

inline constexpr std::size_t kMostTies = 500'000;

/// Remarks on relations that may say which ties there are, since they have many of them, too.
std::vector<std::string> repeated_relation_notes(const Dataset& data);

/// The nodes that some ties lead from or to, ascending.
std::vector<graph::Node> ends_of(const LinkItems& links, std::span<const graph::Node> ties);

/// Reads the roles of ties from a CSV file: source, target and split, with "train", "validation", "test" or "none". Ties
/// that it does not name have no role. Throws DataError with file and line for a pair that is no tie or is there twice,
/// and for another role.
data::Split read_link_split(const std::string& path, const Dataset& data);

void write_link_split(const std::string& path, const Dataset& data, const data::Split& split);

}  // namespace edgewise::train
