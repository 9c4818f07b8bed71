#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// Whether `name` is what a logarithm of `column` is called: "log10(COLUMN)", or "log1p(COLUMN)", which is log(1 + x).
bool is_logarithm_of(std::string_view name, std::string_view column);

/// Makes the columns called `columns` what is learnt. Cells that hold one of `missing` become blank, and a column of
/// nothing but numbers beside them numeric. Where "log10(NAME)" or "log1p(NAME)" is no column and NAME is one, that
/// takes its place, with the decimal logarithms of its numbers, or the natural ones of these and 1. Columns that are
/// not there are passed over. Throws DataError, with the line, for what has no logarithm.
void prepare_label_columns(const std::vector<std::string>& columns, const std::vector<std::string>& missing,
                           io::NodeTable& table);

/// Labels from a node table, rows as in the table; what is missing there is unknown (-1 or NaN).
/// Throws DataError with file (and line, where one row is to blame) for a column that is not there, a label that is not
/// of the task, labels that no node has, a single class among all nodes, and classes that the model does not know.
/// With `classes` given a table without any label is fine.
Labels read_labels(const io::NodeTable& table, const LabelOptions& options);

/// A sentence for each target of a regression whose logarithm is easier to learn: above 0 everywhere, and a few values
/// so much larger than most that errors are those of the few.
std::vector<std::string> target_notes(const Labels& labels);

}  // namespace edgewise::data
