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
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/run/transfer.hpp"
#include "edgewise/train/source/merge_configs.hpp"
#include "edgewise/train/source/sources.hpp"

namespace edgewise::train {
namespace {

std::string dataset_of(const json::Value& config) {
  const json::Value* data = config.find("data");
  return data != nullptr && data->is_object() ? data->get("dataset", "") : "";
}

/// A preset with the size and readout of the default model for graphs.
json::Value rival_of_default(const std::string& preset) {
  return json::Object{
      {"preset", preset}, {"layers", 4}, {"hidden", 64}, {"norm", "layer"}, {"readout", "sum_mean_max"}};
}

bool is_pretraining(const json::Value& config) {
  const json::Value* data = config.find("data");
  return data != nullptr && data->is_object() && train::is_pretraining(data->get("task", ""));
}

/// The defaults for graph-level jobs such as molecules: small steps, and a model that sees edge features. Any other
/// preset gets the same size and readout, so that models can be compared.
json::Value graph_level_defaults(const json::Value& given) {
  json::Value defaults = json::parse(R"({
    "split": {"train": 0.8, "validation": 0.1},
    "model": {"preset": "gatv2", "layers": 4, "hidden": 64, "heads": 4, "residual": "pre_norm", "norm": "layer",
              "edge_value": true, "readout": "sum_mean_max"},
    "training": {"epochs": 100, "patience": 40, "learning_rate": 0.003, "weight_decay": 1e-5, "optimiser": "adamw",
                 "clip_norm": 5, "average": 0.999, "schedule": {"kind": "cosine", "warmup": 3}}})",
                     "defaults of graph-level jobs");
  const json::Value* model = given.find("model");
  const bool is_unspecified = model == nullptr || !model->is_object() || model->as_object().empty();
  const char* unnamed = is_pretraining(given) ? "gatv2" : "auto";
  const std::string preset = is_unspecified ? unnamed : model->get("preset", "gatv2");
  if (preset == "auto")
    defaults.set("model", json::Object{{"preset", "auto"},
                                       {"candidates", json::Array{rival_of_default("sage"), defaults.at("model")}}});
  else if (nn::is_preset(preset) && preset != model_name(defaults.at("model")) &&
           !traits_of(preset).is_sized_for_graphs)
    defaults.set("model", rival_of_default(preset));
  return defaults;
}

/// The defaults for collections of words, frames or pixels. The model has a readout if the labels belong to graphs.
json::Value collection_defaults(const json::Value& given) {
  json::Value defaults = json::parse(R"({
    "split": {"train": 0.8, "validation": 0.1, "holdout": 0.1},
    "model": {"preset": "attention", "layers": 2, "hidden": 128, "heads": 4, "norm": "layer", "dropout": 0.2},
    "training": {"epochs": 40, "patience": 10, "learning_rate": 0.001, "weight_decay": 0.01, "optimiser": "adamw",
                 "batch_size": 32, "clip_norm": 1, "schedule": {"kind": "cosine", "warmup": 1}}})",
                                     "defaults of collections");
  const json::Value* model = given.find("model");
  const std::string preset = model != nullptr && model->is_object() ? model->get("preset", "attention") : "attention";
  if (nn::is_preset(preset) && preset != model_name(defaults.at("model")))
    defaults.set("model", json::Object{{"preset", preset}, {"layers", 2}, {"hidden", 128}, {"norm", "layer"}});
  return defaults;
}

/// The defaults for pairs. A preset of another kind keeps the size.
json::Value pair_defaults(const json::Value& given) {
  json::Value defaults = json::parse(R"({
    "split": {"train": 0.8, "validation": 0.1},
    "model": {"preset": "transformer_pair", "layers": 3, "hidden": 128, "heads": 4},
    "training": {"epochs": 30, "patience": 5, "learning_rate": 0.001, "weight_decay": 0.01, "optimiser": "adamw",
                 "batch_size": 64, "clip_norm": 1, "label_smoothing": 0.1,
                 "schedule": {"kind": "cosine", "warmup": 1}}})",
                                     "defaults of pairs");
  const json::Value* model = given.find("model");
  const std::string preset = model != nullptr && model->is_object() ? model->get("preset", "") : "";
  if (nn::is_preset(preset) && preset != model_name(defaults.at("model")))
    defaults.set("model", json::Object{{"preset", preset}, {"layers", 2}, {"hidden", 256}});
  return defaults;
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
  const json::Value* data = config.find("data");
  const DataShape shape = data != nullptr && data->is_object() ? shape_of(*data) : DataShape::network;
  json::Value recipe = shape == DataShape::network      ? json::Value(json::Object{})
                       : shape == DataShape::collection ? collection_defaults(config)
                       : shape == DataShape::pairs      ? pair_defaults(config)
                                                        : graph_level_defaults(config);
  // Attributes and encodings may have any scale.
  if (shape == DataShape::graphs) json::set_at(recipe, "model.input_norm", "batch");
  const std::string dataset = dataset_of(config);
  if (dataset.empty()) return recipe;
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const data::CatalogueSet& set = data::find_dataset(catalogue, dataset);
  if (!set.metric.empty() && !is_pretraining(config)) json::set_at(recipe, "training.metric", set.metric);
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
  const json::Value file = model_of(*source);
  const json::Value* model = given.find("model");
  const bool is_open = model == nullptr || !model->is_object() || model->find("blocks") == nullptr;
  const json::Value* preset = is_open && model != nullptr ? model->find("preset") : nullptr;
  if (is_open && (preset == nullptr || *preset == json::Value(model_name(file)))) recipe.set("model", file);
}

}  // namespace

json::Value with_defaults(json::Value given) {
  const json::Value* named = given.find("model");
  if (named != nullptr && named->is_object() && is_open_choice(*named)) json::set_at(given, "model.preset", "auto");
  json::Value recipe = recipe_of(given);
  fit_warmup(recipe, given);
  go_on_from(given, recipe);
  json::Value merged = merge_configs(recipe, given);
  const json::Value* model = merged.find("model");
  const json::Value* known = recipe.find("model");
  const bool is_auto = model != nullptr && model->is_object() && model->get("preset", "") == "auto";
  const bool is_open = is_auto && model->find("candidates") == nullptr && model->find("also") == nullptr;
  if (is_open && known != nullptr && known->get("preset", "auto") != "auto")
    json::set_at(merged, "model.also", json::Array{*known});  // the recipe's model is one of the candidates
  return merged;
}

LoadOptions load_options_for(const Config& config) {
  LoadOptions options = load_options_for(config.split);
  if (config.from.empty()) return options;
  options.start = load_source(config.from);
  options.texts = {options.start->features.text_columns()};
  return options;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names = nn::preset_names();
  const std::vector<std::string> baselines = baseline_names();
  names.emplace_back("auto");
  names.insert(names.end(), baselines.begin(), baselines.end());
  return names;
}

void check_model_name(const json::Value& model) {
  const std::vector<std::string> names = model_names();
  const json::Value* preset = model.find("preset");
  if (preset != nullptr && std::find(names.begin(), names.end(), preset->as_string()) == names.end())
    throw UsageError(fmt::format("model.preset: expected one of {}, got \"{}\"{}", fmt::join(names, ", "),
                                 preset->as_string(), did_you_mean(preset->as_string(), names)));
}

}  // namespace edgewise::train
