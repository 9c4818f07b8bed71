#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "edgewise/graph/graph.hpp"
#include "edgewise/io/node_table.hpp"

/// @file
/// Tables of nodes that stand in graphs: words in sentences, frames in recordings, pixels in images.
namespace edgewise::data {

/// Nodes graph by graph, in order: graph g has the rows offsets[g] ... offsets[g + 1] - 1 of `nodes`.
struct NodeGroups {
  io::NodeTable nodes;  ///< Rows are called "GRAPH:PLACE" unless they have names of their own.
  std::vector<graph::Node> offsets = {0};
  graph::NodeNames graphs;
};

/// Several tables of the same columns as one, rows in the order of the tables. With `roles`, one a table, a column
/// "split" says where each row comes from. Names begin again at 1. Throws DataError for other columns.
io::NodeTable concatenate(std::vector<io::NodeTable> tables, std::span<const std::string> roles = {});

struct GroupOptions {
  std::string graph;       ///< Column that says which graph a row belongs to; categorical.
  std::string order = {};  ///< Column of numbers to order the rows of a graph by; "" leaves them as they stand.
  bool has_names = false;  ///< Rows keep their names.
};

/// Rows by their graphs, in the order of `known` where it is given (a graph without rows is empty), else of first rows.
/// A place is the value of the order column, or else 1, 2, ...
/// Throws DataError with file and line for a row without a graph or order, two rows of the same place, and a graph
/// that is not `known`.
NodeGroups group_nodes(io::NodeTable rows, const GroupOptions& options, const graph::NodeNames* known = nullptr);

/// An edge from the node whose place is in the numeric column `head` to the row itself, one a row; 0 and what is
/// missing give none. Places are those of the column `order`, or 1, 2, ... where it is "". Throws DataError with file
/// and line for a place that the graph has not.
graph::EdgeList head_edges(const NodeGroups& groups, const std::string& head, const std::string& order);

/// Throws DataError naming the first edge that leads from one graph to another.
void check_inside(const graph::EdgeList& edges, const NodeGroups& groups, const std::string& file);

enum class TokenKind { words, characters };

/// The texts of `column`, a graph each, as tokens: parted by blanks and tabs, or character by character (UTF-8). Their
/// table has one column, "token". A missing text is an empty graph. The column leaves `texts`.
NodeGroups tokenise(io::NodeTable& texts, const std::string& column, TokenKind kind);

/// The rows of a dense table, a graph each. All its columns but `excluded` are the values of `length` nodes, in their
/// order; of several channels those of a node stand side by side. They leave `rows`. Throws DataError for columns that
/// are not numeric or no multiple of `length`, UsageError for an excluded column that is not there.
NodeGroups spread_rows(io::NodeTable& rows, std::span<const std::string> excluded, std::size_t length);

/// For words that were never seen: columns "NAME prefix 1" ... "NAME prefix LENGTH", the same of suffixes, and
/// "NAME shape", in which capitals, small letters, digits and all else are A, a, 0 and ".", repeated ones once.
/// Characters beyond ASCII count as small letters. Returns the names of the new columns.
std::vector<std::string> add_affixes(io::NodeTable& nodes, const std::string& column, std::size_t length);

}  // namespace edgewise::data
