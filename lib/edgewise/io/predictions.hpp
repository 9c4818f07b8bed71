#pragma once

#include <cstdint>
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

/// What a model says about nodes.
struct Predictions {
  PredictionKind kind = PredictionKind::classes;
  std::vector<std::string> columns;  ///< Classes, labels or targets.
  Matrix values;                     ///< [rows, columns]
  std::vector<graph::Node> nodes = {};  ///< Of each row; empty when row i is node i.
  float threshold = 0.5f;            ///< From which probability a label is predicted (`labels` only).
};

/// CSV or JSON Lines, by the end of `path`. Throws UsageError for another one.
ResultFormat predictions_format(const std::string& path);

/// Writes one row a node, as CSV or JSON Lines by the end of `path` (.csv, .jsonl, each also with .gz).
/// - classes: `node,predicted,p_<class>,...`; `{"node": "ada", "predicted": "yes", "probabilities": {"yes": 0.9, ...}}`
/// - labels: `node,predicted,p_<label>,...`, the predicted ones joined by ";"; in JSON "predicted" is a list
/// - numbers: `node,<target>,...`; `{"node": "ada", "predicted": {"age": 36.5}}`
///
/// The predicted class is the most probable one, the first of equals. Values that are not finite are left empty, and
/// null in JSON. Throws UsageError for another format or shapes that do not fit, DataError when writing fails.
void write_predictions(const std::string& path, const graph::NodeNames& names, const Predictions& predictions);

}  // namespace edgewise::io
