#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/io/column.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// What is read of a network of several kinds of nodes, before it is joined (kind_network.hpp).
namespace edgewise::train {

/// A kind of nodes. Columns of its table are called KIND.COLUMN, unless it has the labels.
struct ReadKind {
  std::string name;
  graph::NodeNames names = {};
  std::optional<io::NodeTable> table = {};  ///< Its first rows are those of `names`.
};

/// Edges of a relation between nodes of the kinds at its ends.
struct ReadRelation {
  Relation relation;
  std::vector<std::pair<graph::Node, graph::Node>> ends = {};  ///< Numbered within their kinds.
  std::vector<std::size_t> rows = {};  ///< Of each edge its number among the edges in the files.
  std::size_t dropped = 0;             ///< To nodes that are not in a table.
  std::size_t repeated = 0;            ///< Left out.
  /// Features of the edges, KIND:RELATION:KIND.COLUMN: see relation_columns.hpp.
  std::vector<io::Column> columns = {};
  std::vector<std::string> others = {};  ///< Other columns of their list.
};

}  // namespace edgewise::train
