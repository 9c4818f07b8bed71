#include "edgewise/train/config/model_config.hpp"

#include <algorithm>

namespace edgewise::train {
namespace {

/// Candidates are given by name or in full.
ModelConfig read_candidate(const json::Value& value) {
  return value.is_string() ? ModelConfig::named(value.as_string()) : ModelConfig(value);
}

bool is_about_choice(std::string_view option) {
  return option == "preset" || option == "candidates" || option == "also";
}

}  // namespace

ModelConfig::ModelConfig(json::Value value) : json_(std::move(value)) {
  if (!json_.is_null()) name_ = json_.get("preset", "blocks");
}

ModelConfig ModelConfig::named(std::string_view preset) { return json::Object{{"preset", preset}}; }

ModelConfig ModelConfig::of_job(const json::Value& config) {
  const json::Value* model = config.is_object() ? config.find("model") : nullptr;
  return model != nullptr && model->is_object() ? ModelConfig(*model) : ModelConfig();
}

ModelConfig ModelConfig::with(std::string_view option, json::Value value) const {
  json::Value changed = json_;
  changed.set(option, std::move(value));
  return changed;
}

std::optional<std::vector<ModelConfig>> ModelConfig::candidates() const {
  if (!has("candidates")) return std::nullopt;
  std::vector<ModelConfig> models;
  for (const json::Value& one : json_.at("candidates").as_array()) models.push_back(read_candidate(one));
  return models;
}

std::vector<ModelConfig> ModelConfig::also() const {
  std::vector<ModelConfig> models;
  if (has("also"))
    for (const json::Value& one : json_.at("also").as_array()) models.push_back(read_candidate(one));
  return models;
}

bool ModelConfig::has_own_options() const {
  return std::ranges::any_of(json_.as_object(),
                             [](const auto& one) { return one.first != "preset" && one.first != "also"; });
}

ModelConfig ModelConfig::with_shared_options(ModelConfig candidate) const {
  for (const auto& [option, value] : json_.as_object())
    if (!is_about_choice(option)) candidate.json_.set(option, value);
  return candidate;
}

bool ModelConfig::replaces(const ModelConfig& base) const {
  return is_blocks() || (is_preset() && !(base.is_preset() && base.name_ == name_));
}

}  // namespace edgewise::train
