#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/text_writer.hpp"

namespace edgewise::io {

enum class PredictionKind {
  classes,  ///< One class per node; `values` are probabilities.
  labels,   ///< Any number of labels per node; `values` are probabilities.
  numbers,  ///< `values` are the predicted numbers, in the user's units.
};

/// An extra column, copied as is: one text per row, "" where there is none.
struct TextColumn {
  std::string name;
  std::vector<std::string> values;
  /// Values are numbers in JSON, and those that are none are left out of graphs, whose attributes have types.
  bool is_numeric = false;
  bool is_json = false;     ///< Values are JSON, such as lists.
};

/// A column of `values` as an extra column.
TextColumn number_column(std::string name, const Matrix& values, Eigen::Index column);

/// Key of tables of molecules: their names are numbers of rows, also in JSON.
inline constexpr const char* kRowKey = "row";

/// A model's predictions for nodes or graphs.
struct Predictions {
  PredictionKind kind = PredictionKind::classes;
  std::vector<std::string> columns;  ///< Classes, labels or targets.
  Matrix values;                     ///< [rows, columns]
  std::vector<graph::Node> nodes = {};  ///< Per row, an index into the names; empty if row i is name i.
  float threshold = 0.5f;            ///< Probability from which a label is predicted (`labels` only).
  std::string key = "node";          ///< Name of the first column.
  Matrix deviations = {};            ///< [rows, columns]: spread of each value over an ensemble; or empty.
  std::vector<TextColumn> before = {};  ///< Extra columns after the key.
  std::vector<TextColumn> after = {};   ///< Extra columns at the end.

  /// Also of no rows.
  bool has_deviations() const { return deviations.cols() > 0; }
};

/// The predicted class of a row, or its predicted labels joined by ";".
std::string predicted_text(const Predictions& predictions, std::size_t row);

/// CSV or JSON Lines, by the extension of `path`. Throws UsageError for any other.
ResultFormat predictions_format(const std::string& path);

/// Writes one row per node, as CSV or JSON Lines by the extension of `path` (.csv, .jsonl, each optionally with .gz).
/// - classes: `node,predicted,p_<class>,...`; `{"node": "ada", "predicted": "yes", "probabilities": {"yes": 0.9, ...}}`
/// - labels: `node,predicted,p_<label>,...`, with the predicted labels joined by ";"; in JSON "predicted" is a list
/// - numbers: `node,<target>,...`; `{"node": "ada", "predicted": {"age": 36.5}}`
///
/// Deviations follow as columns `std_<column>`, in JSON as the object "std". Extra text columns are placed as
/// `Predictions` says; in JSON, empty texts are omitted. The predicted class is the most probable one, the first in
/// case of a tie. Non-finite values are left empty, and null in JSON. Throws UsageError for another format or
/// mismatched shapes, DataError if writing fails.
void write_predictions(const std::string& path, const graph::NodeNames& names, const Predictions& predictions);

/// The same to a stream, as CSV or JSON Lines.
void write_predictions(std::ostream& out, ResultFormat format, const graph::NodeNames& names,
                       const Predictions& predictions);

}  // namespace edgewise::io
