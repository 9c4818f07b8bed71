#include "train_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/data/catalogue.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/presets.hpp"
#include "edgewise/train/jobs/baselines.hpp"
#include "edgewise/train/jobs/job_split.hpp"
#include "edgewise/train/jobs/masked_atoms.hpp"
#include "edgewise/train/jobs/merge_configs.hpp"
#include "edgewise/train/jobs/transfer.hpp"
#include "edgewise/train/loop/checkpoint.hpp"

namespace edgewise::app {
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
  return data != nullptr && data->is_object() && data->get("task", "") == train::kMaskedAtoms;
}

bool is_preset(const std::string& name) { return std::ranges::count(nn::preset_names(), name) > 0; }

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
  else if (is_preset(preset) && preset != "gatv2" && preset != "gps")  // gps has its own defaults
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
  if (is_preset(preset) && preset != "attention")
    defaults.set("model", json::Object{{"preset", preset}, {"layers", 2}, {"hidden", 128}, {"norm", "layer"}});
  return defaults;
}

bool reads_collection(const json::Value& config) {
  const json::Value* data = config.find("data");
  return data != nullptr && data->is_object() && train::is_collection(*data);
}

/// No warmup if only a few epochs are configured: it could take up all of them.
void fit_warmup(json::Value& recipe, const json::Value& given) {
  const json::Value* training = given.find("training");
  const json::Value* epochs = training != nullptr && training->is_object() ? training->find("epochs") : nullptr;
  if (epochs != nullptr && epochs->is_number() && epochs->as_number() < 10)
    set_at(recipe, "training.schedule.warmup", 0);
}

/// The metric of the data set, and settings known to work well on it from datasets/recipes/NAME.json, if that exists.
json::Value recipe_of(const json::Value& config) {
  const json::Value* data = config.find("data");
  const auto has = [&](const char* source) {
    return data != nullptr && data->is_object() && !data->get(source, "").empty();
  };
  const bool are_graphs = has("tu") || (has("graph_column") && has("graphs") && has("edges"));
  json::Value recipe = are_graphs || has("molecules") ? graph_level_defaults(config)
                       : reads_collection(config)     ? collection_defaults(config)
                                                      : json::Value(json::Object{});
  if (are_graphs) set_at(recipe, "model.input_norm", "batch");  // attributes and encodings may have any scale
  const std::string dataset = dataset_of(config);
  if (dataset.empty()) return recipe;
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const data::Dataset& set = data::find_dataset(catalogue, dataset);
  if (set.is_collection())
    recipe = collection_defaults(config);
  else if (set.is_graph_level() || set.is_molecules())
    recipe = graph_level_defaults(config);
  if (set.is_graph_level()) set_at(recipe, "model.input_norm", "batch");
  if (!set.metric.empty() && !is_pretraining(config)) set_at(recipe, "training.metric", set.metric);
  const std::filesystem::path path = std::filesystem::path(catalogue.directory) / "recipes" / (dataset + ".json");
  return std::filesystem::exists(path) ? train::merge_configs(recipe, json::parse_file(path.string())) : recipe;
}

void check_widths(const ConfigSources& sources) {
  const json::Value* model = sources.flags.find("model");
  if (sources.head_width > 0 && model != nullptr && model->find("hidden") != nullptr)
    throw UsageError("--width: is the width of one head, --hidden that of all heads together; give only one of them");
}

/// Presets take the total width of all heads.
void set_head_width(json::Value& config, std::int64_t head_width) {
  static const json::Value kNothing{json::Object{}};
  const json::Value* given = config.find("model");
  const json::Value& model = given != nullptr ? *given : kNothing;
  if (model.find("blocks") != nullptr)
    throw UsageError("--width: each block of a model has its own width; change \"width\" there");
  const std::string preset = model.get("preset", "gat");
  if (!is_preset(preset) && !train::is_baseline(model)) return;  // check_model_name reports an unknown name
  if (!nn::has_heads(preset))
    throw UsageError(fmt::format("--width: the model \"{}\" has no attention heads{}", preset,
                                 is_preset(preset) ? "; --hidden says how wide its layers are" : ""));
  set_at(config, "model.hidden", model.get("heads", std::int64_t{nn::kDefaultHeads}) * head_width);
}

json::Value config_of_checkpoint(const std::string& path) {
  try {
    const json::Value config = train::read_checkpoint(path).note.value.at("config");
    train::parse_config(config);
    return config;
  } catch (const UsageError& error) {
    throw damaged_checkpoint(path, error);
  }
}

/// Puts into the recipe how the model file to start from reads data and, unless another model is named, its layers.
void go_on_from(const json::Value& given, json::Value& recipe) {
  const json::Value* training = given.find("training");
  const std::string path = training != nullptr && training->is_object() ? training->get("from", "") : "";
  if (path.empty()) return;
  recipe = train::merge_configs(recipe, json::Object{{"data", train::reading_of_file(path)}});
  const json::Value file = train::model_of_file(path);
  const json::Value* model = given.find("model");
  const bool is_open = model == nullptr || !model->is_object() || model->find("blocks") == nullptr;
  const json::Value* preset = is_open && model != nullptr ? model->find("preset") : nullptr;
  if (is_open && (preset == nullptr || *preset == json::Value(train::model_name(file)))) recipe.set("model", file);
}

/// The given configuration merged over the recipe of its data.
json::Value over_recipe(json::Value given) {
  const json::Value* named = given.find("model");
  if (named != nullptr && named->is_object() && train::is_open_choice(*named)) set_at(given, "model.preset", "auto");
  json::Value recipe = recipe_of(given);
  fit_warmup(recipe, given);
  go_on_from(given, recipe);
  json::Value merged = train::merge_configs(recipe, given);
  const json::Value* model = merged.find("model");
  const json::Value* known = recipe.find("model");
  const bool is_auto = model != nullptr && model->is_object() && model->get("preset", "") == "auto";
  const bool is_open = is_auto && model->find("candidates") == nullptr && model->find("also") == nullptr;
  if (is_open && known != nullptr && known->get("preset", "auto") != "auto")
    set_at(merged, "model.also", json::Array{*known});  // the recipe's model is one of the candidates
  return merged;
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names = nn::preset_names();
  const std::vector<std::string> baselines = train::baseline_names();
  names.emplace_back("auto");
  names.insert(names.end(), baselines.begin(), baselines.end());
  return names;
}

void add_model_flags(CLI::App& verb, ConfigFlags& flags) {
  start_group(verb, "Model");
  flags.text("--model", "model.preset", fmt::format("{}", fmt::join(model_names(), ", ")))->default_str("auto");
  flags.integer("--heads", "model.heads", "Number of attention heads")->default_str(std::to_string(nn::kDefaultHeads));
  flags.integer("--hidden", "model.hidden", "Hidden units of all heads together");
  flags.integer("--layers", "model.layers", "Number of layers");
  flags.text("--mask", "model.mask", "What nodes attend over: " + graph::mask_usages());
  flags.text("--readout", "model.readout", "Graphs: mean, sum, max, sum_mean_max, attention, query or set2set");
  flags.number("--dropout", "model.dropout", "Dropout on the inputs of layers");
  flags.number("--attention-dropout", "model.attention_dropout", "Dropout on attention weights");
}

void check_model_name(const json::Value& model) {
  const std::vector<std::string> names = model_names();
  const json::Value* preset = model.find("preset");
  if (preset != nullptr && std::find(names.begin(), names.end(), preset->as_string()) == names.end())
    throw UsageError(fmt::format("model.preset: expected one of {}, got \"{}\"{}", fmt::join(names, ", "),
                                 preset->as_string(), did_you_mean(preset->as_string(), names)));
}

ModelError damaged_checkpoint(const std::string& path, const UsageError& error) {
  return ModelError(fmt::format("{}: the checkpoint's configuration is damaged: {}", path, error.what()));
}

bool is_as_checkpoint_says(const ConfigSources& sources) {
  const bool has_flags = sources.flags.find("model") != nullptr || sources.flags.find("training") != nullptr ||
                         sources.flags.find("split") != nullptr || sources.flags.find("data") != nullptr;
  return !sources.resume.empty() && sources.file.empty() && sources.dataset.empty() && sources.head_width == 0 &&
         !has_flags;
}

void check_split_flags(const json::Value& flags, const train::SplitConfig& in_force) {
  const json::Value* split = flags.find("split");
  if (split != nullptr && split->find("folds") != nullptr && in_force.kind != "k_fold")
    throw UsageError(fmt::format("--folds: is for --split k_fold; here the split is \"{}\"", in_force.kind));
}

void check_share_flags(const json::Value& flags, const train::SplitConfig& in_force, const train::JobData& data) {
  const json::Value* split = flags.find("split");
  if (split == nullptr || train::is_drawn_by_shares(data, in_force)) return;
  const std::string kind = train::takes_given_split(data, in_force) ? "given" : in_force.kind;
  for (const auto& [member, flag] : {std::pair{"train", "--train-share"}, {"validation", "--validation-share"}})
    if (split->find(member) != nullptr)
      throw UsageError(fmt::format(
          "{}: is for splits drawn by shares, such as --split random; here the split is \"{}\"", flag, kind));
}

void check_comparable(const train::Config& config) {
  if (!config.from.empty()) throw UsageError("--from: works with train only; models are compared from scratch");
  if (train::is_pretraining(config.data))
    throw UsageError("--task: masked_atoms works with train only; it makes a model to start from (--from)");
}

train::Config read_config(const ConfigSources& sources) {
  check_widths(sources);
  json::Value flags = sources.flags;
  if (!sources.dataset.empty()) set_at(flags, "data.dataset", sources.dataset);
  json::Value given{json::Object{}};
  if (!sources.resume.empty()) given = config_of_checkpoint(sources.resume);
  if (!sources.file.empty()) {
    const json::Value file = json::parse_file(sources.file);
    train::check_members(file);
    given = train::merge_configs(given, file);
  }
  given = train::merge_configs(given, flags);
  json::Value config = blame_checkpoint(sources, [&] { return over_recipe(given); });
  if (sources.head_width > 0) set_head_width(config, sources.head_width);
  // Messages give the path of each value, wherever it came from.
  train::Config read = train::parse_config(config.rooted_at(sources.file.empty() ? "configuration" : sources.file));
  check_split_flags(flags, read.split);
  return read;
}

}  // namespace edgewise::app
