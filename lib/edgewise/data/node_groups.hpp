#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/io/node_table.hpp"

/// @file
/// Tables of nodes that belong to graphs: words in sentences, frames in recordings, pixels in images.
namespace edgewise::data {

/// Nodes grouped by graph, in order: graph g has rows offsets[g] ... offsets[g + 1] - 1 of `nodes`.
struct NodeGroups {
  io::NodeTable nodes;  ///< Rows are called "GRAPH:PLACE" unless they have their own names.
  std::vector<graph::Node> offsets = {0};
  graph::NodeNames graphs;
  std::vector<double> places;  ///< By `group_nodes`: the place of each row in its graph; they ascend.
};

/// Concatenates tables with the same columns, in order. With `roles`, one per table, a column "split" records where
/// each row comes from. Names restart at 1. Throws DataError if the columns differ.
io::NodeTable concatenate(std::vector<io::NodeTable> tables, std::span<const std::string> roles = {});

struct GroupOptions {
  std::string graph;       ///< Column with the graph of each row; categorical.
  /// Column with numbers that order the rows of a graph; "" keeps their order. If it was read as categorical, names
  /// have places as they are written, and large numbers all their digits; it becomes numeric.
  std::string order = {};
  bool has_names = false;  ///< Rows keep their own names.
};

/// Groups rows by graph, in the order of `known` if given (a graph without rows is empty), else in order of first
/// appearance. A row's place is the value of the order column, or else 1, 2, ... Throws DataError with file and line
/// for a row without a graph, a place that is not a number, two rows with the same place (unless they have their own
/// names), and a graph not in `known`.
NodeGroups group_nodes(io::NodeTable rows, const GroupOptions& options, const graph::NodeNames* known = nullptr);

/// Edges from head to dependent, at most one per row: from the node whose place is in the numeric column `head` to the
/// row itself. 0 and missing values give no edge. Throws DataError with file and line for a place that does not exist
/// in the graph, or that a float cannot hold (above 2^24).
graph::EdgeList head_edges(const NodeGroups& groups, const std::string& head);

/// Throws DataError naming the first edge that crosses between graphs; `where` says where it was read.
void check_inside(const graph::EdgeList& edges, const NodeGroups& groups,
                  const std::function<TextLocation(graph::EdgeIndex)>& where);

enum class TokenKind { words, characters };

/// Splits the texts of `column`, one graph each, into tokens: at blanks and line breaks, or character by character
/// (UTF-8). The resulting table has one column, "token". A missing text is an empty graph. The column is removed from
/// `texts`.
NodeGroups tokenise(io::NodeTable& texts, const std::string& column, TokenKind kind);

/// All columns except `excluded`, in order. Throws UsageError if an excluded column does not exist.
std::vector<std::string> value_columns(const io::NodeTable& rows, std::span<const std::string> excluded);

/// Turns each row of a dense table into a graph: `columns` are the values of `length` nodes (0: one column each), in
/// order; with several channels, the channels of a node are adjacent. These columns are removed from `rows`. Throws
/// DataError if a column does not exist or is not numeric, or if their number is not a multiple of `length`.
NodeGroups spread_rows(io::NodeTable& rows, std::span<const std::string> columns, std::size_t length);

/// Features for unseen words: columns "NAME prefix 1" ... "NAME prefix LENGTH", the same for suffixes, and "NAME
/// shape", which maps capitals, small letters, digits and everything else to A, a, 0 and ".", with repeats collapsed.
/// Non-ASCII characters count as small letters. Returns the names of the new columns.
std::vector<std::string> add_affixes(io::NodeTable& nodes, const std::string& column, std::size_t length);

}  // namespace edgewise::data
