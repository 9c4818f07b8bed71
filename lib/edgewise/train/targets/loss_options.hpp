#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/data/labels.hpp"

namespace edgewise::train {

struct ClassWeights {
  enum class Kind { none, balanced, given } kind = Kind::none;
  std::vector<double> given;  ///< One per class, in the order of the classes' names.
};

/// The members of TrainOptions that a loss is made from; see there.
struct LossOptions {
  std::string loss = "squared";
  ClassWeights class_weights = {};
  double label_smoothing = 0;
  std::vector<std::pair<std::string, double>> target_weights = {};
};

/// One weight per target, or none if all count alike. Throws UsageError for a name that is no target.
std::vector<float> weights_of_targets(const LossOptions& options, const data::Labels& labels);

/// One weight per class, those that `balance` makes if they are to be balanced, or none if all count alike. Throws
/// UsageError for another number than that of the classes.
std::vector<float> weights_of_classes(const LossOptions& options, const data::Labels& labels,
                                      const std::function<std::vector<float>()>& balance);

/// Throw UsageError if an option is given that is for other labels. `noun` continues to "no classes", as in "a
/// regression has".
void refuse_class_weights(const LossOptions& options, std::string_view noun);
void refuse_label_smoothing(const LossOptions& options);
void refuse_other_losses(const LossOptions& options, std::string_view nouns);

}  // namespace edgewise::train
