#include "edgewise/train/source/defaults.hpp"

#include <string>

#include "edgewise/nn/presets.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/config/tasks.hpp"

namespace edgewise::train {
namespace {

bool learns_atoms(const json::Value& config) {
  return json::find_at(config, "data.atom_target") != nullptr || json::find_at(config, "data.bond_target") != nullptr;
}

/// A preset with the size and readout of `model`, the default for graphs.
json::Value rival_of(const json::Value& model, const std::string& preset) {
  json::Value rival = json::Object{{"preset", preset}};
  for (const char* member : {"layers", "hidden", "norm", "readout"}) rival.set(member, model.at(member));
  return rival;
}

}  // namespace

bool asks_to_pretrain(const json::Value& config) {
  const json::Value* data = config.find("data");
  return data != nullptr && data->is_object() && is_pretraining(data->get("task", ""));
}

bool asks_for_links(const json::Value& config) {
  const json::Value* data = config.find("data");
  return data != nullptr && data->is_object() && data->get("task", "") == kLinks;
}

json::Value link_defaults(const json::Value& given) {
  json::Value defaults = json::parse(R"({
    "split": {"train": 0.85, "validation": 0.05},
    "training": {"epochs": 60, "patience": 8, "learning_rate": 0.004, "weight_decay": 1e-5, "optimiser": "adamw",
                 "schedule": {"kind": "cosine", "warmup": 1}}})",
                                     "defaults of links");
  const ModelConfig model = ModelConfig::of_job(given);
  if (nn::is_preset(model.preset_or("")))
    defaults.set("model", json::Object{{"preset", model.name()}, {"hidden", 96}, {"dropout", 0.3}});
  return defaults;
}

json::Value edge_label_defaults(const json::Value& given) {
  json::Value defaults = json::parse(R"({
    "split": {"train": 0.8, "validation": 0.1},
    "training": {"epochs": 150, "patience": 20, "learning_rate": 0.01, "weight_decay": 0.05, "optimiser": "adamw"}})",
                                     "defaults of labels of edges");
  const ModelConfig model = ModelConfig::of_job(given);
  const std::string preset = model.preset_or("auto");
  const auto sized = [](const std::string& name) {
    return json::Object{{"preset", name}, {"hidden", 32}, {"dropout", 0.3}};
  };
  if (preset == "auto" && !model.names_candidates())
    defaults.set("model", json::Object{{"preset", "auto"}, {"also", json::Array{sized("mlp")}}});
  else if (nn::is_preset(preset))
    defaults.set("model", sized(preset));
  return defaults;
}

json::Value molecule_defaults(const json::Value& given) {
  json::Value defaults = json::parse(R"({
    "split": {"train": 0.8, "validation": 0.1},
    "model": {"preset": "gatv2", "layers": 4, "hidden": 64, "heads": 4, "residual": "pre_norm", "norm": "layer",
              "edge_value": true, "readout": "sum_mean_max"},
    "training": {"epochs": 100, "patience": 40, "learning_rate": 0.003, "weight_decay": 1e-5, "optimiser": "adamw",
                 "clip_norm": 5, "average": 0.999, "schedule": {"kind": "cosine", "warmup": 3}}})",
                     "defaults of graph-level jobs");
  if (learns_atoms(given)) json::set_at(defaults, "model.layers", 8);  // an atom needs what is several bonds away
  const ModelConfig model = ModelConfig::of_job(given);
  const std::string preset = model.preset_or(model.is_empty() && !asks_to_pretrain(given) ? "auto" : "gatv2");
  const json::Value gatv2 = defaults.at("model");
  if (preset == "auto")
    defaults.set("model",
                 json::Object{{"preset", "auto"}, {"candidates", json::Array{rival_of(gatv2, "sage"), gatv2}}});
  else if (nn::is_preset(preset) && preset != ModelConfig::of_job(defaults).name() &&
           !traits_of(preset).is_sized_for_graphs)
    defaults.set("model", rival_of(gatv2, preset));
  return defaults;
}

json::Value graph_defaults(const json::Value& given) {
  json::Value defaults = molecule_defaults(given);
  json::set_at(defaults, "model.input_norm", "batch");
  return defaults;
}

json::Value collection_defaults(const json::Value& given) {
  json::Value defaults = json::parse(R"({
    "split": {"train": 0.8, "validation": 0.1},
    "model": {"preset": "attention", "layers": 2, "hidden": 128, "heads": 4, "norm": "layer", "dropout": 0.2},
    "training": {"epochs": 40, "patience": 10, "learning_rate": 0.001, "weight_decay": 0.01, "optimiser": "adamw",
                 "batch_size": 32, "clip_norm": 1, "schedule": {"kind": "cosine", "warmup": 1}}})",
                                     "defaults of collections");
  const std::string preset = ModelConfig::of_job(given).preset_or("attention");
  if (nn::is_preset(preset) && preset != ModelConfig::of_job(defaults).name())
    defaults.set("model", json::Object{{"preset", preset}, {"layers", 2}, {"hidden", 128}, {"norm", "layer"}});
  return defaults;
}

json::Value pair_defaults(const json::Value& given) {
  json::Value defaults = json::parse(R"({
    "split": {"train": 0.8, "validation": 0.1},
    "model": {"preset": "transformer_pair", "layers": 3, "hidden": 128, "heads": 4},
    "training": {"epochs": 30, "patience": 5, "learning_rate": 0.001, "weight_decay": 0.01, "optimiser": "adamw",
                 "batch_size": 64, "clip_norm": 1, "label_smoothing": 0.1,
                 "schedule": {"kind": "cosine", "warmup": 1}}})",
                                     "defaults of pairs");
  const std::string preset = ModelConfig::of_job(given).preset_or("");
  if (nn::is_preset(preset) && preset != ModelConfig::of_job(defaults).name())
    defaults.set("model", json::Object{{"preset", preset}, {"layers", 2}, {"hidden", 256}});
  return defaults;
}

}  // namespace edgewise::train
