#include "edgewise/train/run/consistency.hpp"

#include <fmt/format.h>

#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/train/config/model_traits.hpp"

namespace edgewise::train {
namespace {

/// Why passes cannot agree, as a clause; "" if they can.
std::string why_not_consistent(const TrainOptions& options, const Dataset& data) {
  if (data.has_many_graphs()) return fmt::format("{} has many graphs", data.name);
  if (!data.labels.has_classes()) return fmt::format("the labels of {} are not classes", data.name);
  if (!options.sample.empty()) return "a step sees a sample of the nodes (training.sample)";
  if (options.label_input > 0) return "known labels are input (training.label_input)";
  return "";
}

}  // namespace

void check_consistency(const TrainOptions& options, const Dataset& data) {
  if (options.consistency.passes <= 0) return;
  if (const std::string why_not = why_not_consistent(options, data); !why_not.empty())
    throw UsageError(
        fmt::format("training.consistency: makes passes agree on the classes of the nodes of one graph, but {}",
                    why_not));
}

void resolve_consistency(const Config& config, const Dataset& data, TrainOptions& options) {
  constexpr std::int64_t kPasses = 2;
  std::int64_t& passes = options.consistency.passes;
  const bool is_usual = config.model.traits().agrees_in_passes;
  if (passes < 0) passes = is_usual && why_not_consistent(options, data).empty() ? kPasses : 0;
  check_consistency(options, data);
}

}  // namespace edgewise::train
