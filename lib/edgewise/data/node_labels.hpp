#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/io/node_table.hpp"

namespace edgewise::data {

struct LabelOptions {
  /// One column, or several of the same kind.
  std::vector<std::string> columns;
  /// When not given: several columns are multi-label if all values are 0 or 1 (true, false, yes, no), else regression.
  /// One column is classification when it is not numeric or has at most 20 different values, all of them whole, else
  /// regression.
  std::optional<Task> task = std::nullopt;
  /// Classes that a model knows, in its order; another one in the table is then an error. Empty: those of the table, in
  /// ascending order (by value when all are numbers, else by their bytes).
  std::vector<std::string> classes = {};
};

/// Blanks the cells of the columns called `columns` that hold one of `missing`; a column of nothing but numbers beside
/// them becomes numeric. Columns that are not there are passed over.
void forget_texts(const std::vector<std::string>& columns, const std::vector<std::string>& missing,
                  io::NodeTable& table);

/// Labels from a node table, rows as in the table; what is missing there is unknown (-1 or NaN).
/// Throws DataError with file (and line, where one row is to blame) for a column that is not there, a label that is not
/// of the task, labels that no node has, a single class among all nodes, and classes that the model does not know.
/// With `classes` given a table without any label is fine.
Labels read_labels(const io::NodeTable& table, const LabelOptions& options);

}  // namespace edgewise::data
