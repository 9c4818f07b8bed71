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
  /// If not given: several columns are multi-label if all values are 0 or 1 (true, false, yes, no), else regression.
  /// One column is classification if it is not numeric or has at most 20 distinct values, all integers; else
  /// regression. A column of amounts with a few other cells is neither, see `find_odd_cells`.
  std::optional<Task> task = std::nullopt;
  /// Classes known to a model, in its order; any other class in the table is then an error, unless it is one of them in
  /// another spelling (io::CategoryMatch; "01" for "1" if all are numbers). Empty: those of the table, in ascending
  /// order (by value if all are numbers, else bytewise).
  std::vector<std::string> classes = {};
  /// The columns hold categories, whatever their values look like.
  bool are_categories = false;
  /// Labels from which nothing can be learnt are returned, too: one class, or none.
  bool allows_any = false;
  std::string_view noun = "node";  ///< What a row is, for messages.
};

/// Whether `name` denotes a logarithm of `column`: "log10(COLUMN)", or "log1p(COLUMN)", which is log(1 + x).
bool is_logarithm_of(std::string_view name, std::string_view column);

/// Prepares the label columns `columns`. Cells equal to one of `missing`, and those with nothing but blanks, become
/// empty; a column whose other values are all numbers becomes numeric, unless that would change whole numbers ("007").
/// If "log10(NAME)" or "log1p(NAME)" is not a column but NAME is, it replaces NAME, with the decimal logarithms of its
/// numbers x or the natural logarithms of 1 + x. Columns that do not exist are skipped. Throws DataError, with the
/// line, for a value that has no logarithm.
void prepare_label_columns(const std::vector<std::string>& columns, const std::vector<std::string>& missing,
                           io::NodeTable& table);

/// Makes a column of text numeric if all its values are numbers but for those in `rows`, which become empty.
void forget_cells(const std::vector<std::size_t>& rows, io::Column& column);

/// Reads labels from a node table, rows as in the table; missing ones are unknown (-1 or NaN). Throws DataError with
/// file (and line, if one row is to blame) for a column that does not exist, a label that does not fit the task, a cell
/// among amounts that is none (unless `allows_any`), labels that no node has, a single class among all nodes (both
/// unless `allows_any`), and classes unknown to the model. With `classes` given, a table without any labels or rows is
/// allowed.
Labels read_labels(const io::NodeTable& table, const LabelOptions& options);

/// Makes the label of an item unknown.
void forget_label(graph::Node item, Labels& labels);

/// Advice in plain sentences on numbers: each target whose logarithm is easier to learn, because it is never negative
/// and a few values are so large that they dominate the error.
std::vector<std::string> logarithm_notes(const Labels& labels);
/// And on classes: too many of them for the number of labelled rows; these are probably amounts or names.
std::vector<std::string> class_notes(const Labels& labels);

}  // namespace edgewise::data
