#include "edgewise/train/choose/choice_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/train/choose/comparison.hpp"
#include "edgewise/train/config/model_traits.hpp"

namespace edgewise::train {
namespace {

/// Puts full models, which are known to work well, before those given by preset name, and drops the latter if they are
/// the same preset.
std::vector<ModelConfig> put_first(std::vector<ModelConfig> models, const std::vector<ModelConfig>& named) {
  const std::size_t full = models.size();
  for (const ModelConfig& one : named) {
    const auto is_same = [&](const ModelConfig& model) { return one == ModelConfig::named(model.name()); };
    if (std::none_of(models.begin(), models.begin() + static_cast<std::ptrdiff_t>(full), is_same))
      models.push_back(one);
  }
  return models;
}

/// The networks that suit the data.
std::vector<ModelConfig> usual_networks(const Config& config, const Dataset& data) {
  std::vector<ModelConfig> models;
  for (const std::string& name : models_to_compare(config, data))
    if (traits_of(name).is_network) models.push_back(ModelConfig::named(name));
  return models;
}

}  // namespace

std::vector<ModelConfig> models_to_try(const Config& config, const Dataset& data) {
  std::optional<std::vector<ModelConfig>> named = config.model.candidates();
  std::vector<ModelConfig> models;
  for (const ModelConfig& one : put_first(config.model.also(), named ? *named : usual_networks(config, data))) {
    if (one.is_choice()) throw UsageError("model.candidates: expected other models than \"auto\"");
    if (one.is_baseline())
      throw UsageError(fmt::format("model.candidates: \"{}\" is tried in any case if it fits; name other models",
                                   one.name()));
    models.push_back(config.model.with_shared_options(one));
  }
  return models;
}

std::vector<std::string> baselines_to_try(const Config& config, const Dataset& data) {
  std::vector<std::string> names = models_to_compare(config, data);
  std::erase_if(names, [](const std::string& name) { return traits_of(name).is_network; });
  return names;
}

ModelConfig default_model(const std::vector<ModelConfig>& models) {
  for (const char* name : {"gat", "gatv2", "attention"}) {
    const auto found = std::ranges::find(models, std::string(name), &ModelConfig::name);
    if (found != models.end()) return *found;
  }
  return models.front();
}

}  // namespace edgewise::train
