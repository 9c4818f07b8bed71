#include "edgewise/train/jobs/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <unordered_map>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/train/detail/config_values.hpp"

namespace edgewise::train {
namespace {

using detail::get_at_least;
using detail::get_choice;
using detail::get_count;
using detail::get_from_one;
using detail::get_within;
using detail::refuse;
using detail::section;

constexpr const char* kSchema = "edgewise.config/1";

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// A string or a list of strings.
std::vector<std::string> get_strings(const json::Value& value, std::string_view name) {
  const json::Value* found = value.find(name);
  if (found == nullptr || found->is_null()) return {};
  if (found->is_string()) return {found->as_string()};
  return found->as_strings();
}

EncodingConfig parse_encodings(const json::Value& value) {
  value.allow_only({"degree", "random_walk", "laplacian", "distances", "virtual_node"});
  EncodingConfig encodings;
  encodings.degree = value.get("degree", false);
  encodings.random_walk = get_count(value, "random_walk", 128);
  encodings.laplacian = get_count(value, "laplacian", 128);
  encodings.distances = get_count(value, "distances", 254);
  encodings.virtual_node = value.get("virtual_node", false);
  return encodings;
}

DataConfig parse_data(const json::Value& value) {
  value.allow_only({"dataset", "edges", "graph", "nodes", "molecules", "smiles", "features", "source", "target",
                    "weight", "edge_features", "id", "label", "task", "categorical", "ignore", "normalise_rows",
                    "directed", "duplicates", "self_loops", "atom_features", "hydrogens", "strict", "encodings"});
  DataConfig data;
  data.dataset = value.get("dataset", "");
  data.edges = value.get("edges", "");
  data.graph = value.get("graph", "");
  data.nodes = value.get("nodes", "");
  data.features = value.get("features", "");
  data.source = value.get("source", "");
  data.target = value.get("target", "");
  data.weight = value.get("weight", "");
  data.edge_features = get_strings(value, "edge_features");
  data.id = value.get("id", "");
  data.label = get_strings(value, "label");
  data.task = get_choice(value, "task", data.task, {"auto", "classification", "multilabel", "regression"});
  data.categorical = get_strings(value, "categorical");
  data.ignore = get_strings(value, "ignore");
  data.normalise_rows = value.get("normalise_rows", data.normalise_rows);
  data.directed = value.get("directed", data.directed);
  data.duplicates = get_choice(value, "duplicates", data.duplicates, {"keep_first", "keep_all", "refuse"});
  data.self_loops = get_choice(value, "self_loops", data.self_loops, {"keep", "drop", "refuse"});
  data.molecules = value.get("molecules", "");
  data.smiles = value.get("smiles", "");
  data.atom_features = value.get("atom_features", data.atom_features.c_str());
  data.hydrogens = value.get("hydrogens", false);
  data.strict = value.get("strict", false);
  data.encodings = parse_encodings(section(value, "encodings"));
  if (!data.molecules.empty() && !data.features.empty()) data.atom_features = std::exchange(data.features, "");
  if (!data.molecules.empty() && !data.target.empty()) {
    if (!data.label.empty()) refuse(value, "target", "one of \"target\" and \"label\" for molecules", "both");
    data.label = split_at_commas(std::exchange(data.target, ""));
  }
  return data;
}

SplitConfig parse_split(const json::Value& value) {
  value.allow_only({"kind", "name", "file", "column", "index", "train", "validation", "folds", "train_per_class",
                    "validation_count", "test_count", "seed"});
  SplitConfig split;
  split.kind = get_choice(value, "kind", split.kind, 
                          {"auto", "given", "random", "stratified", "k_fold", "per_class", "scaffold", "balanced_scaffold"});
  split.name = value.get("name", "");
  split.file = value.get("file", "");
  split.column = value.get("column", "");
  split.index = get_at_least(value, "index", split.index, -1);
  split.train = get_within(value, "train", split.train, 0, 1);
  split.validation = get_within(value, "validation", split.validation, 0, 1);
  if (split.train + split.validation > 1 + 1e-9)
    refuse(value, "validation", "shares of training and validation that sum to at most 1",
           fmt::format("{} + {}", split.train, split.validation));
  split.folds = get_at_least(value, "folds", split.folds, 3);
  split.train_per_class = get_at_least(value, "train_per_class", split.train_per_class, 1);
  split.validation_count = get_at_least(value, "validation_count", split.validation_count, 0);
  split.test_count = get_at_least(value, "test_count", split.test_count, 0);
  split.seed = get_at_least(value, "seed", split.seed, -1);
  return split;
}

json::Value to_json(const EncodingConfig& encodings) {
  return json::Object{{"degree", encodings.degree},
                      {"random_walk", encodings.random_walk},
                      {"laplacian", encodings.laplacian},
                      {"distances", encodings.distances},
                      {"virtual_node", encodings.virtual_node}};
}

json::Value to_json(const DataConfig& data) {
  json::Value value;
  const auto set_path = [&](const char* name, const std::string& text) {
    if (!text.empty()) value.set(name, text);
  };
  set_path("dataset", data.dataset);
  set_path("edges", data.edges);
  set_path("graph", data.graph);
  set_path("nodes", data.nodes);
  set_path("molecules", data.molecules);
  set_path("smiles", data.smiles);
  set_path("features", data.features);
  set_path("source", data.source);
  set_path("target", data.target);
  set_path("weight", data.weight);
  if (!data.edge_features.empty()) value.set("edge_features", data.edge_features);
  set_path("id", data.id);
  if (data.label.size() == 1) value.set("label", data.label[0]);
  if (data.label.size() > 1) value.set("label", data.label);
  value.set("task", data.task);
  if (!data.categorical.empty()) value.set("categorical", data.categorical);
  if (!data.ignore.empty()) value.set("ignore", data.ignore);
  value.set("normalise_rows", data.normalise_rows);
  value.set("directed", data.directed);
  value.set("duplicates", data.duplicates);
  value.set("self_loops", data.self_loops);
  value.set("atom_features", data.atom_features);
  value.set("hydrogens", data.hydrogens);
  value.set("strict", data.strict);
  value.set("encodings", to_json(data.encodings));
  return value;
}

json::Value to_json(const SplitConfig& split) {
  json::Value value;
  value.set("kind", split.kind);
  if (!split.name.empty()) value.set("name", split.name);
  if (!split.file.empty()) value.set("file", split.file);
  if (!split.column.empty()) value.set("column", split.column);
  value.set("index", split.index);
  value.set("train", split.train);
  value.set("validation", split.validation);
  value.set("folds", split.folds);
  value.set("train_per_class", split.train_per_class);
  value.set("validation_count", split.validation_count);
  value.set("test_count", split.test_count);
  value.set("seed", split.seed);
  return value;
}

json::Value merge_objects(const json::Value& base, const json::Value& over) {
  json::Object merged = base.as_object();
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < merged.size(); ++i) index.emplace(merged[i].first, i);
  for (const auto& [name, value] : over.as_object()) {
    const auto [place, is_new] = index.emplace(name, merged.size());
    if (is_new) {
      merged.emplace_back(name, value);
      continue;
    }
    json::Value& old = merged[place->second].second;
    old = old.is_object() && value.is_object() ? merge_objects(old, value) : value;
  }
  return merged;
}

/// Whether the model of `over` is another one than that of `base`, rather than a change to it.
bool is_other_model(const json::Value& base, const json::Value& over) {
  if (over.find("blocks") != nullptr || base.find("blocks") != nullptr) return true;
  const json::Value* preset = over.find("preset");
  const json::Value* old = base.find("preset");
  return preset != nullptr && (old == nullptr || !(*preset == *old));
}

bool names_any(const json::Value& data, std::initializer_list<const char*> members) {
  return std::any_of(members.begin(), members.end(), [&](const char* member) { return data.find(member) != nullptr; });
}

json::Value without(const json::Value& object, std::initializer_list<std::string_view> members) {
  json::Object kept;
  for (const auto& [name, value] : object.as_object())
    if (std::find(members.begin(), members.end(), name) == members.end()) kept.emplace_back(name, value);
  return kept;
}

/// The data of the base without the sources that those of `over` stand for.
json::Value without_other_sources(const json::Value& base, const json::Value& over) {
  if (names_any(over, {"dataset"}))
    return without(base, {"dataset", "edges", "graph", "nodes", "molecules", "smiles", "features", "label", "id",
                          "source", "target"});
  const bool has_molecules = names_any(over, {"molecules"}) || names_any(base, {"molecules"});
  if (has_molecules && names_any(over, {"target"}))  // another word for the label
    return without_other_sources(without(base, {"label"}), without(over, {"target"}));
  if (names_any(over, {"molecules"})) return without(base, {"dataset", "edges", "graph", "nodes"});
  if (names_any(over, {"graph"})) return without(base, {"dataset", "edges", "nodes", "molecules"});
  if (names_any(over, {"edges"})) return without(base, {"dataset", "graph", "molecules"});
  return base;
}

/// Models far beyond any that is known to be of use are a slip of the hand; building them would take the memory first.
void check_sizes(const json::Value& model) {
  constexpr std::pair<const char*, std::int64_t> kLargest[] = {{"layers", 1000}, {"heads", 4096}, {"hidden", 1 << 20}};
  for (const auto& [name, largest] : kLargest) {
    const json::Value* value = model.find(name);
    if (value != nullptr && value->is_integer() && value->as_integer() > largest)
      refuse(model, name, fmt::format("at most {}", largest), fmt::format("{}", value->as_integer()));
  }
}

}  // namespace

graph::GraphOptions DataConfig::graph_options() const {
  using namespace graph;
  GraphOptions options;
  options.direction = directed ? Direction::directed : Direction::undirected;
  options.duplicates = duplicates == "refuse"     ? DuplicateEdges::refuse
                       : duplicates == "keep_all" ? DuplicateEdges::keep_all
                                                  : DuplicateEdges::keep_first;
  options.self_loops = self_loops == "refuse" ? SelfLoops::refuse
                       : self_loops == "drop" ? SelfLoops::drop
                                              : SelfLoops::keep;
  return options;
}

void check_members(const json::Value& value) { value.allow_only({"schema", "data", "split", "model", "training"}); }

Config parse_config(const json::Value& value) {
  check_members(value);
  if (const std::string schema = value.get("schema", kSchema); schema != kSchema)
    throw UsageError(fmt::format("configuration: expected the schema {}, got \"{}\"", kSchema, schema));
  Config config;
  config.data = parse_data(section(value, "data"));
  config.split = parse_split(section(value, "split"));
  config.model = section(value, "model");
  config.model.as_object();  // throws when it is something else
  if (config.model.find("preset") == nullptr && config.model.find("blocks") == nullptr)
    config.model.set("preset", "gat");
  check_sizes(config.model);
  config.training = parse_train_options(section(value, "training"));
  config.runs = get_from_one(section(value, "training"), "runs", 100'000);
  config.ensemble = get_from_one(section(value, "training"), "ensemble", 1000);
  return config;
}

json::Value to_json(const Config& config) {
  json::Value value;
  value.set("schema", kSchema);
  value.set("data", to_json(config.data));
  value.set("split", to_json(config.split));
  value.set("model", config.model);
  json::Value training = to_json(config.training);
  training.set("runs", config.runs);
  training.set("ensemble", config.ensemble);
  value.set("training", std::move(training));
  return value;
}

std::string model_name(const json::Value& model) { return model.get("preset", "blocks"); }

json::Value merge_configs(const json::Value& base, const json::Value& over) {
  json::Value merged = base.is_null() ? json::Value(json::Object{}) : base;
  const json::Value* model = over.find("model");
  const json::Value* old_model = merged.find("model");
  const json::Value* data = over.find("data");
  const json::Value* old_data = merged.find("data");
  if (data != nullptr && old_data != nullptr) merged.set("data", without_other_sources(*old_data, *data));
  old_model = merged.find("model");
  const bool replaces_model = model != nullptr && old_model != nullptr && is_other_model(*old_model, *model);
  merged = merge_objects(merged, over);
  if (replaces_model) merged.set("model", *model);
  return merged;
}

}  // namespace edgewise::train
