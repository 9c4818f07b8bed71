#pragma once

#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/train/jobs/model_data.hpp"
#include "edgewise/train/loop/metrics.hpp"

namespace edgewise::train {

/// How good the predictions of a model are on items whose label is known.
struct Evaluation {
  std::string part;                ///< train, validation, test or all.
  std::vector<graph::Node> items;  ///< Those with a known label.
  Matrix predictions;              ///< Of all items of the data.
  Metrics metrics;
};

/// Evaluates on a part of the split: "train", "validation", "test", "all", or "auto", which is the test part, or all of
/// other data without a split. `loaded` was read with Needs::labels for `request`; models that take labels as input do
/// not see those of the items. Throws UsageError for another part and for data without parts, ModelError if the model
/// has other labels, DataError if no item of the part has a label.
Evaluation evaluate(ModelData& loaded, const ModelRequest& request, const std::string& part, const NoteHook& note);

}  // namespace edgewise::train
