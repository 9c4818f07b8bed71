#pragma once

#include <string>

#include "edgewise/io/detail/edge_list_header.hpp"
#include "edgewise/io/detail/edge_list_sample.hpp"
#include "edgewise/io/edge_list_result.hpp"

/// @file
/// Whether what was read as an edge list can be one. A table of another kind has rows and columns, too, and gives
/// another graph without any error.
namespace edgewise::io::detail {

/// How the columns of an edge list were chosen.
struct GuessedColumns {
  std::size_t count;  ///< Of all columns.
  Endpoints ends;
  bool has_header = false;
  bool are_requested = false;  ///< Nothing is judged then.
  bool are_named = false;      ///< Called "source" and "target" or the like.
};

/// Whether the sample has rows, and was split as the file was.
bool can_be_judged(const EdgeListSample& sample, const GuessedColumns& columns);

/// A column for messages: its name in quotes, or its number.
std::string name_of(const EdgeListSample& sample, const GuessedColumns& columns, std::size_t column);

/// "--source 1 --target 2", from columns counted from 0.
std::string flags_for(std::size_t source, std::size_t target);

/// Throws DataError with the line if the rows are a matrix, an adjacency list, pairs in other columns, and the like.
void refuse_other_tables(const std::string& path, const EdgeListSample& sample, const GuessedColumns& columns);

/// What to add to the message about rows of different lengths: "; this looks like ...", or nothing.
std::string explain_ragged_rows(const EdgeListSample& sample);

/// What to add to the message about rows of one field, or nothing.
std::string explain_single_field(std::string_view field);

/// Whether the first row may be "nodes edges" or "rows columns entries": as many rows follow, between nodes that are
/// numbers up to the first.
bool may_give_sizes(const EdgeListSample& sample, const EdgeListResult& result);

/// Whether the node is an end of another edge than the first.
bool occurs_after_first(const graph::EdgeList& edges, graph::Node node);

/// Throws DataError if the first row gives the numbers of nodes and edges. In a tree it may, but need not: a doubt.
void refuse_sizes(const std::string& path, const EdgeListSample& sample, const EdgeListResult& result);

}  // namespace edgewise::io::detail
