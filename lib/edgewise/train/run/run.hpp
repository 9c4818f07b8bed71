#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/run/choice.hpp"

namespace edgewise::train {

/// One run of a job: one seed, one split, one model.
struct Run {
  Report report;
  data::Split split;
  /// [items, labels]: probabilities or values, with the kept weights; NaN for molecules that cannot be read.
  Matrix predictions;
  Matrix deviations;             ///< [items, labels]: spread over an ensemble; empty for one model.
  /// [items, 1]: what is `unexplained` by the kernel of the model, or in the mean by those of an average; empty if
  /// there is none.
  Matrix uncertainty_inputs = {};
  std::optional<TrainedModel> trained;  ///< Not set for label propagation, which leaves no model.
  std::size_t parameters = 0;
  std::size_t inputs = 0;         ///< Feature columns.
  std::string order;              ///< Internal node order: none, degree, cuthill_mckee, clustering.
  std::vector<std::string> notes;
  std::optional<Choice> choice;  ///< Set if the model was chosen among several.
};

}  // namespace edgewise::train
