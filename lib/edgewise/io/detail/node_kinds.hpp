#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/edge_list_result.hpp"

/// @file
/// Edges between two sets of nodes whose names overlap, such as users 1, 2, ... and films 1, 2, ...: a user and a film
/// become one node.
namespace edgewise::io::detail {

/// Whether the names of two columns are those of different kinds: "userId" and "movieId", "drug" and "disease", but not
/// "follower" and "followee".
bool name_two_kinds(std::string_view source, std::string_view target);

/// Whether the name of a column is that of a kind: "product_id" of products, "person" of people.
bool names_kind(std::string_view column, std::string_view kind);

/// Doubts ends whose columns are named after the kind of the other end.
std::vector<std::string> swapped_kinds(const EdgeListReport& report, std::string_view source, std::string_view target);

/// Whether comments before the first row say that there are two sets of nodes, as KONECT's do: "bip weighted", or
/// "3200 400 300" for 3200 `edges` between 400 and 300 nodes. 0 edges: their number is not known.
bool state_two_kinds(const std::vector<std::string>& comments, graph::EdgeIndex edges);

/// Why nodes may have been taken for one; nothing if no name is in both columns. `source` and `target` are positions of
/// the columns, from 0.
std::optional<std::string> mixed_kinds(const EdgeListResult& result, std::size_t source, std::size_t target);

}  // namespace edgewise::io::detail
