#include "edgewise/train/run/recipe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "edgewise/core/error.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/data/catalogue.hpp"
#include "edgewise/nn/presets.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/run/transfer.hpp"
#include "edgewise/train/source/defaults.hpp"
#include "edgewise/train/source/merge_configs.hpp"
#include "edgewise/train/source/sources.hpp"

namespace edgewise::train {
namespace {

std::string dataset_of(const json::Value& config) {
  const json::Value* data = config.find("data");
  return data != nullptr && data->is_object() ? data->get("dataset", "") : "";
}

/// No warmup if only a few epochs are configured: it could take up all of them.
void fit_warmup(json::Value& recipe, const json::Value& given) {
  const json::Value* training = given.find("training");
  const json::Value* epochs = training != nullptr && training->is_object() ? training->find("epochs") : nullptr;
  if (epochs != nullptr && epochs->is_number() && epochs->as_number() < 10)
    json::set_at(recipe, "training.schedule.warmup", 0);
}

/// The metric of the data set, and settings known to work well on it from datasets/recipes/NAME.json, if that exists.
json::Value recipe_of(const json::Value& config) {
  if (asks_for_links(config)) return link_defaults(config);
  const json::Value* data = config.find("data");
  const Source* source = data != nullptr && data->is_object() ? named_source(*data) : nullptr;
  json::Value recipe = source != nullptr && source->defaults != nullptr ? source->defaults(config) : json::Object{};
  const std::string dataset = dataset_of(config);
  if (dataset.empty()) return recipe;
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const data::CatalogueSet& set = data::find_dataset(catalogue, dataset);
  if (!set.metric.empty() && !asks_to_pretrain(config)) json::set_at(recipe, "training.metric", set.metric);
  const std::filesystem::path path = std::filesystem::path(catalogue.directory) / "recipes" / (dataset + ".json");
  return std::filesystem::exists(path) ? merge_configs(recipe, json::parse_file(path.string())) : recipe;
}

/// Puts into the recipe how the model file to start from reads data and, unless another model is named, its layers.
void go_on_from(const json::Value& given, json::Value& recipe) {
  const json::Value* training = given.find("training");
  const std::string path = training != nullptr && training->is_object() ? training->get("from", "") : "";
  if (path.empty()) return;
  const std::shared_ptr<TrainedModel> source = load_source(path);
  recipe = merge_configs(recipe, json::Object{{"data", reading_of(*source)}});
  const ModelConfig model = ModelConfig::of_job(given);
  if (!model.replaces(model_of(*source))) recipe.set("model", model_of(*source).json());
}

}  // namespace

json::Value with_defaults(json::Value given) {
  if (ModelConfig::of_job(given).is_open_choice()) json::set_at(given, "model.preset", "auto");
  json::Value recipe = recipe_of(given);
  fit_warmup(recipe, given);
  go_on_from(given, recipe);
  json::Value merged = merge_configs(recipe, given);
  const ModelConfig model = ModelConfig::of_job(merged), known = ModelConfig::of_job(recipe);
  if (model.is_choice() && !model.names_candidates() && known.preset_or("auto") != "auto")
    json::set_at(merged, "model.also", json::Array{known.json()});  // the recipe's model is one of the candidates
  const bool is_said = json::find_at(merged, "split.holdout") || json::find_at(given, "split.validation");
  if (!is_said) json::set_at(merged, "split.holdout", kHoldout);
  return merged;
}

LoadOptions load_options_for(const Config& config) {
  LoadOptions options = load_options_for(config.split);
  if (config.from.empty()) return options;
  options.start = {config.from, load_source(config.from)};
  options.texts = {options.start.model->features.text_columns()};
  return options;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names = nn::preset_names();
  const std::vector<std::string> baselines = baseline_names();
  names.emplace_back("auto");
  names.insert(names.end(), baselines.begin(), baselines.end());
  return names;
}

void check_model_name(const ModelConfig& model) {
  const std::vector<std::string> names = model_names();
  if (model.is_preset() && std::find(names.begin(), names.end(), model.name()) == names.end())
    throw UsageError(fmt::format("model.preset: expected one of {}, got \"{}\"{}", fmt::join(names, ", "), model.name(),
                                 did_you_mean(model.name(), names)));
}

}  // namespace edgewise::train
