#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/text_writer.hpp"

namespace edgewise::io {

enum class PredictionKind {
  classes,  ///< One class a node; `values` are probabilities.
  labels,   ///< Any number of labels a node; `values` are probabilities.
  numbers,  ///< `values` are the predicted numbers, in the user's units.
};

/// One more column, copied as it is: a text a row, "" where there is none.
struct TextColumn {
  std::string name;
  std::vector<std::string> values;
};

/// What a model says about nodes, or graphs.
struct Predictions {
  PredictionKind kind = PredictionKind::classes;
  std::vector<std::string> columns;  ///< Classes, labels or targets.
  Matrix values;                     ///< [rows, columns]
  std::vector<graph::Node> nodes = {};  ///< Of each row, an index into the names; empty when row i is name i.
  float threshold = 0.5f;            ///< From which probability a label is predicted (`labels` only).
  std::string key = "node";          ///< Name of the first column.
  Matrix deviations = {};            ///< [rows, columns]: the spread of each value over an ensemble; or empty.
  std::vector<TextColumn> before = {};  ///< Behind the key.
  std::vector<TextColumn> after = {};   ///< Last.
};

/// CSV or JSON Lines, by the end of `path`. Throws UsageError for another one.
ResultFormat predictions_format(const std::string& path);

/// Writes one row a node, as CSV or JSON Lines by the end of `path` (.csv, .jsonl, each also with .gz).
/// - classes: `node,predicted,p_<class>,...`; `{"node": "ada", "predicted": "yes", "probabilities": {"yes": 0.9, ...}}`
/// - labels: `node,predicted,p_<label>,...`, the predicted ones joined by ";"; in JSON "predicted" is a list
/// - numbers: `node,<target>,...`; `{"node": "ada", "predicted": {"age": 36.5}}`
///
/// Deviations follow as columns `std_<column>`, in JSON as the object "std"; texts are where `Predictions` says, in
/// JSON as members that are left out where the text is empty.
/// The predicted class is the most probable one, the first of equals. Values that are not finite are left empty, and
/// null in JSON. Throws UsageError for another format or shapes that do not fit, DataError when writing fails.
void write_predictions(const std::string& path, const graph::NodeNames& names, const Predictions& predictions);

/// The same into a stream, as CSV or JSON Lines.
void write_predictions(std::ostream& out, ResultFormat format, const graph::NodeNames& names,
                       const Predictions& predictions);

}  // namespace edgewise::io
