#include "edgewise/train/targets/loss_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "edgewise/core/error.hpp"

namespace edgewise::train {

std::vector<float> weights_of_targets(const LossOptions& options, const data::Labels& labels) {
  if (options.target_weights.empty()) return {};
  std::vector<float> weights(labels.names.size(), 1.0F);
  for (const auto& [name, weight] : options.target_weights) {
    const auto found = std::ranges::find(labels.names, name);
    if (found == labels.names.end())
      throw UsageError(fmt::format("training.target_weights: there is no target \"{}\"; there are {}", name,
                                   fmt::join(labels.names, ", ")));
    weights[static_cast<std::size_t>(found - labels.names.begin())] = static_cast<float>(weight);
  }
  if (std::ranges::all_of(weights, [](float weight) { return weight == 0; }))
    throw UsageError("training.target_weights: expected a target that counts");
  return weights;
}

std::vector<float> weights_of_classes(const LossOptions& options, const data::Labels& labels,
                                      const std::function<std::vector<float>()>& balance) {
  const ClassWeights& requested = options.class_weights;
  if (requested.kind == ClassWeights::Kind::none) return {};
  if (requested.kind == ClassWeights::Kind::balanced) return balance();
  if (requested.given.size() != labels.names.size())
    throw UsageError(fmt::format("training.class_weights: expected {} numbers, one for each of {}, got {}",
                                 labels.names.size(), fmt::join(labels.names, ", "), requested.given.size()));
  return {requested.given.begin(), requested.given.end()};
}

void refuse_class_weights(const LossOptions& options, std::string_view noun) {
  if (options.class_weights.kind != ClassWeights::Kind::none)
    throw UsageError(fmt::format("training.class_weights: {} no classes; leave them out", noun));
}

void refuse_label_smoothing(const LossOptions& options) {
  if (options.label_smoothing > 0) throw UsageError("training.label_smoothing: is for classes");
}

void refuse_other_losses(const LossOptions& options, std::string_view nouns) {
  if (options.loss != LossOptions().loss)
    throw UsageError(fmt::format("training.loss: \"{}\" is for regression, not for {}", options.loss, nouns));
}

}  // namespace edgewise::train
