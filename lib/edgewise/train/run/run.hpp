#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/run/run_result.hpp"

namespace edgewise::train {

/// One run of a job: one seed, one split, one model.
struct Run : RunResult {
  /// [items, labels]: probabilities or values, with the kept weights; NaN for molecules that cannot be read.
  Matrix predictions = {};
  Matrix deviations = {};  ///< [items, labels]: spread over an ensemble; empty for one model.
  /// [items, 1]: what is `unexplained` by the kernel of the model, or in the mean by those of an average; empty if
  /// there is none.
  Matrix uncertainty_inputs = {};
  std::optional<TrainedModel> trained = {};  ///< Not set for label propagation, which leaves no model.
  std::vector<std::string> notes = {};
};

}  // namespace edgewise::train
