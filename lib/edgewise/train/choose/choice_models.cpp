#include "edgewise/train/choose/choice_models.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/train/choose/comparison.hpp"
#include "edgewise/train/config/model_traits.hpp"

namespace edgewise::train {
namespace {

/// Puts full models, which are known to work well, before those given by preset name, and drops the latter if they are
/// the same preset.
json::Array put_first(const json::Value& models, const json::Array& named) {
  json::Array all = models.as_array();
  for (const json::Value& name : named) {
    const auto is_same = [&](const json::Value& model) { return name == json::Value(model_name(model)); };
    if (std::ranges::none_of(models.as_array(), is_same)) all.push_back(name);
  }
  return all;
}

}  // namespace

std::vector<json::Value> models_to_try(const Config& config, const Dataset& data) {
  const json::Value& model = config.model;
  json::Array named;
  if (const json::Value* given = model.find("candidates"))
    named = given->as_array();
  else
    for (const std::string& name : models_to_compare(config, data))
      if (!is_baseline(json::Object{{"preset", name}})) named.emplace_back(name);
  if (const json::Value* also = model.find("also")) named = put_first(*also, named);
  std::vector<json::Value> models;
  for (const json::Value& candidate : named) {
    json::Value one = candidate.is_string() ? json::Value(json::Object{{"preset", candidate}}) : candidate;
    if (is_choice(one)) throw UsageError("model.candidates: expected other models than \"auto\"");
    if (is_baseline(one))
      throw UsageError(fmt::format("model.candidates: \"{}\" is tried in any case if it fits; name other models",
                                   model_name(one)));
    for (const auto& [member, value] : model.as_object())
      if (member != "preset" && member != "candidates" && member != "also") one.set(member, value);
    models.push_back(std::move(one));
  }
  return models;
}

std::vector<std::string> baselines_to_try(const Config& config, const Dataset& data) {
  std::vector<std::string> names = models_to_compare(config, data);
  std::erase_if(names, [](const std::string& name) { return !is_baseline(json::Object{{"preset", name}}); });
  return names;
}

json::Value default_model(const std::vector<json::Value>& models) {
  for (const char* name : {"gat", "gatv2", "attention"}) {
    const auto found = std::ranges::find(models, std::string(name), model_name);
    if (found != models.end()) return *found;
  }
  return models.front();
}

}  // namespace edgewise::train
