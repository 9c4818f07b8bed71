#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/node_names.hpp"
#include "edgewise/train/model/applicability_domain.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/use/model_data.hpp"

/// @file
/// Predicting every item of some data.
namespace edgewise::train {

struct PredictionOptions {
  /// The nodes to predict, by their names; empty: all items. Only what they see is computed.
  std::function<std::vector<graph::Node>(const graph::NodeNames& names)> select = {};
  bool with_embeddings = false;
};

/// The predictions, and what they cost.
struct Prediction {
  Dataset data;                        ///< The data predicted on.
  Matrix values;                       ///< [items, outputs]; NaN for molecules that cannot be read.
  Matrix deviations;                   ///< The same; empty if nothing tells how far the model errs.
  Matrix embeddings;                   ///< If requested: the inputs of the last layer.
  DomainReport domain_report;             ///< Of all items; empty if the model cannot tell.
  std::vector<graph::Node> selection;  ///< The nodes of the rows of `values`; empty: all items.
  std::size_t nodes = 0;               ///< Number of nodes computed.
  std::string order;                   ///< That of the nodes in memory; "" for graphs.
  double read_seconds = 0;
  double featurise_seconds = 0;  ///< Molecules only.
  double predict_seconds = 0;
};

/// Reads the data of an open model, whose `trained` may be used afterwards, and predicts it. A table of molecules is
/// predicted in pieces, so that a long one takes little more memory than its text. Throws as `load_model_data` and
/// `predict` do, and UsageError if nodes are selected where graphs have the labels, or along with an order.
Prediction predict_all(OpenModel& model, const PredictionOptions& options, const NoteHook& note);

/// Predicts molecules of which only the rows are there (`read_molecule_rows`, `molecule_rows`), or their atoms and
/// bonds. Throws as `predict_all`.
Prediction predict_rows(TrainedModel& trained, Dataset rows, bool with_embeddings, const NoteHook& note);

/// {LABEL: VALUE, ...}: a row of predictions.
json::Value row_to_json(const std::vector<std::string>& labels, const Matrix& predictions, std::size_t row);

}  // namespace edgewise::train
