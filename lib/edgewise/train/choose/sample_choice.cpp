#include "edgewise/train/choose/sample_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/inputs/model_shape.hpp"
#include "edgewise/train/loop/sampling.hpp"
#include "edgewise/train/run/work.hpp"

namespace edgewise::train {
namespace {

constexpr double kPace = 2e9;  // of Work::total, a second, assumed of any machine: so the bits depend on the data alone
constexpr const char* kFanOut = "10";

enum class Reach { other, rows, edges };

/// What a network goes over in training.
Reach reach_of(const ModelConfig& network, const Dataset& data) {
  try {
    const nn::Model model(blocks_for(network, data, data.features), {.inputs = 1, .outputs = 1}, 0);
    if (!model.sampled_steps()) return Reach::other;
    return *model.sampled_steps() > 0 ? Reach::edges : Reach::rows;
  } catch (const Error&) {  // reported when it is trained
    return Reach::other;
  }
}

/// The least work of an epoch over all edges.
Work least_epoch(const Config& config, const Dataset& data, const std::vector<ModelConfig>& networks) {
  Work least{.rows = std::numeric_limits<double>::infinity()};
  for (const ModelConfig& network : networks)
    if (reach_of(network, data) == Reach::edges)
      least = std::min(least, work_of_epoch(network, config, data),
                       [](const Work& a, const Work& b) { return a.total() < b.total(); });
  return least;
}

}  // namespace

void sample_if_too_large(const Dataset& data, const JobHooks& hooks, Config& config,
                         std::vector<ModelConfig>& networks) {
  if (!std::isfinite(hooks.seconds) || data.has_many_graphs() || !config.training.sample.empty()) return;
  const double expected = least_epoch(config, data, networks).total() / kPace;
  if (!std::isfinite(expected) || expected <= hooks.seconds) return;
  config.training.sample = kFanOut;
  config.training.batch_size = kSampledBatch;
  std::erase_if(networks, [&](const ModelConfig& network) { return reach_of(network, data) == Reach::other; });
  if (hooks.note)
    hooks.note(fmt::format("an epoch over all edges would take {}, more than {}: models are trained on samples "
                           "of neighbours ({} {})",
                           rough_time(expected), setting("training.budget"), setting("training.sample"), kFanOut));
}

}  // namespace edgewise::train
