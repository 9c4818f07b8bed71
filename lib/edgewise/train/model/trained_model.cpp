#include "edgewise/train/model/trained_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/model_file.hpp"
#include "edgewise/train/inputs/label_input.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kMaxKinds = 64;  // kinds of models in an average

data::Task parse_task(const std::string& name) {
  if (const data::Task* found = find_task(name)) return *found;
  throw ModelError(fmt::format("labels: unknown task \"{}\"", name));
}

TrainedModel from_sections(nn::LoadedModel&& loaded) {
  const json::Value& sections = loaded.sections;
  Config config;
  json::Value jobs;
  jobs.set("data", sections.at("data"));
  jobs.set("split", sections.at("split"));
  config = parse_config(jobs);
  const json::Value& labels = sections.at("labels");
  TrainedModel trained{.model = std::move(loaded.model),
                       .other_members = std::move(loaded.others),
                       .data = config.data,
                       .split = config.split,
                       .features = sections.find("pairs") == nullptr ? FeatureMap::from_json(sections.at("features"))
                                                                     : FeatureMap(),
                       .task = parse_task(labels.at("task").as_string()),
                       .label_names = labels.at("names").as_strings(),
                       .scaler = {},
                       .label_input = sections.get("label_input", 0.0)};
  trained.training = TrainingRecord::from_json(sections.at("training"), trained.label_names);
  if (trained.task.has_numbers()) trained.scaler = data::TargetScaler::from_json(sections.at("scaler"));
  if (const json::Value* descriptors = sections.find("descriptors"))
    trained.descriptors = DescriptorMap::from_json(*descriptors);
  if (const json::Value* refinement = sections.find("correct_and_smooth"))
    trained.refinement = Refinement::from_json(*refinement, trained.label_names.size());
  if (const json::Value* calibration = sections.find("calibration"))
    trained.calibration = Calibration::from_json(*calibration, trained.task, trained.label_names.size());
  if (const json::Value* domain = sections.find("known_ground"))
    trained.applicability_domain = ApplicabilityDomain::from_json(*domain);
  if (const json::Value* pairs = sections.find("pairs")) trained.pairs = PairMap::from_json(*pairs);
  if (const json::Value* links = sections.find("links")) trained.links = LinkMap::from_json(*links);
  if (trained.links.has_value() != trained.model.is_link_level())
    throw ModelError(fmt::format("links: expected what a model of ties is told about them {} a readout of links",
                                 trained.links ? "along with" : "for"));
  const std::size_t outputs = trained.label_names.size();
  const auto given = static_cast<std::size_t>(trained.model.shape().outputs);
  if (!target_of(trained.task).can_have_outputs(given, outputs))
    throw ModelError(fmt::format("labels: {} names for {} outputs", outputs, given));
  if (trained.task.has_numbers() && trained.scaler.columns() != outputs)
    throw ModelError(fmt::format("scaler: {} columns for {} outputs", trained.scaler.columns(), outputs));
  if (trained.pairs) {
    trained.pairs->check_fits(trained.model.shape());
    return trained;
  }
  const bool is_share = trained.label_input >= 0 && trained.label_input < 1;
  if (!is_share || (trained.label_input > 0 && trained.model.is_graph_level()))
    throw ModelError(fmt::format("label_input: {} is not a share of the labels of nodes", trained.label_input));
  const std::size_t shown = trained.label_input > 0 ? label_columns(trained.task, outputs) : 0;
  if (trained.features.columns() + shown != static_cast<std::size_t>(trained.model.shape().inputs))
    throw ModelError(fmt::format("features: {} columns for {} inputs", trained.features.columns() + shown,
                                 trained.model.shape().inputs));
  return trained;
}

/// A single kind of model, without those it is averaged with.
io::Safetensors one_to_safetensors(TrainedModel& trained) {
  Config config;
  config.data = trained.data;
  config.split = trained.split;
  const json::Value jobs = to_json(config);
  json::Value labels;
  labels.set("task", std::string(trained.task.name));
  labels.set("names", trained.label_names);
  json::Value sections;
  sections.set("data", jobs.at("data"));
  sections.set("split", jobs.at("split"));
  if (trained.pairs)
    sections.set("pairs", trained.pairs->to_json());
  else
    sections.set("features", trained.features.to_json());
  if (trained.links) sections.set("links", trained.links->to_json());
  if (trained.descriptors.columns() > 0) sections.set("descriptors", trained.descriptors.to_json());
  sections.set("labels", std::move(labels));
  if (trained.task.has_numbers()) sections.set("scaler", trained.scaler.to_json());
  if (trained.label_input > 0) sections.set("label_input", trained.label_input);
  if (trained.refinement) sections.set("correct_and_smooth", trained.refinement->to_json());
  if (!trained.calibration.is_empty()) sections.set("calibration", trained.calibration.to_json());
  if (!trained.applicability_domain.is_empty()) sections.set("known_ground", trained.applicability_domain.to_json());
  sections.set("training", trained.training.to_json());
  std::vector<nn::Model*> models = {&trained.model};
  for (nn::Model& other : trained.other_members) models.push_back(&other);
  return nn::to_safetensors(models, sections);
}

TrainedModel one_from_safetensors(const std::string& path, const io::Safetensors& content) {
  nn::LoadedModel loaded = nn::from_safetensors(path, content);
  try {
    return from_sections(std::move(loaded));
  } catch (const Error& error) {
    throw ModelError(fmt::format("{}: this model file cannot be used: {}", path, error.what()));
  }
}

/// Name prefix for the tensors and metadata of additional kind `kind`, counted from 1.
std::string prefix_of(std::size_t kind) { return fmt::format("average.{}.", kind); }

bool has_kind(std::size_t kind, const io::Safetensors& content) {
  return content.find_metadata(prefix_of(kind) + "edgewise.format") != nullptr;
}

/// Moves the entries with names starting with `prefix` out of `from`, and strips the prefix.
template <class Entry, class Name>
std::vector<Entry> take_named(std::string_view prefix, std::vector<Entry>& from, const Name& name) {
  const auto first =
      std::ranges::stable_partition(from, [&](Entry& entry) { return !name(entry).starts_with(prefix); }).begin();
  std::vector<Entry> taken(std::make_move_iterator(first), std::make_move_iterator(from.end()));
  from.erase(first, from.end());
  for (Entry& entry : taken) name(entry).erase(0, prefix.size());
  return taken;
}

/// Removes the part for that kind from `content` and returns it.
io::Safetensors take_kind(std::size_t kind, io::Safetensors& content) {
  const std::string prefix = prefix_of(kind);
  return {
      .tensors = take_named(prefix, content.tensors, [](io::Tensor& tensor) -> std::string& { return tensor.name; }),
      .metadata = take_named(prefix, content.metadata, [](auto& entry) -> std::string& { return entry.first; })};
}

void check_averaged(const std::string& path, const TrainedModel& first, const TrainedModel& other) {
  const bool is_same = first.task == other.task && first.label_names == other.label_names &&
                       first.model.is_graph_level() == other.model.is_graph_level() &&
                       first.model.is_link_level() == other.model.is_link_level();
  if (!is_same) throw ModelError(fmt::format("{}: the models of an average predict different things", path));
}

}  // namespace

ModelConfig model_of(const TrainedModel& trained) {
  return trained.training.model.is_empty() ? ModelConfig(trained.model.config()) : trained.training.model;
}

std::vector<TrainedModel*> components_of(TrainedModel& trained) {
  std::vector<TrainedModel*> kinds = {&trained};
  for (TrainedModel& other : trained.other_components) kinds.push_back(&other);
  return kinds;
}

std::vector<const TrainedModel*> components_of(const TrainedModel& trained) {
  std::vector<const TrainedModel*> kinds = {&trained};
  for (const TrainedModel& other : trained.other_components) kinds.push_back(&other);
  return kinds;
}

Matrix predict(TrainedModel& trained, Batches& batches, Matrix* deviations) {
  Ensemble ensemble;
  const auto add = [&](nn::Model& model) {
    Matrix given;
    const Matrix predictions = predict(model, batches, trained.task, trained.scaler, &given);
    ensemble.add(predictions, given);
  };
  add(trained.model);
  for (nn::Model& other : trained.other_members) add(other);
  if (deviations != nullptr) *deviations = ensemble.deviation();
  return ensemble.mean();
}

void save_trained_model(const std::string& path, TrainedModel& trained) {
  io::write_safetensors(path, to_safetensors(trained));
}

io::Safetensors to_safetensors(TrainedModel& trained) {
  io::Safetensors content = one_to_safetensors(trained);
  for (std::size_t kind = 1; kind <= trained.other_components.size(); ++kind) {
    io::Safetensors other = one_to_safetensors(trained.other_components[kind - 1]);
    for (auto& [name, text] : other.metadata) content.metadata.emplace_back(prefix_of(kind) + name, std::move(text));
    for (io::Tensor& tensor : other.tensors) {
      tensor.name.insert(0, prefix_of(kind));
      content.tensors.push_back(std::move(tensor));
    }
  }
  return content;
}

TrainedModel load_trained_model(const std::string& path) {
  io::Safetensors content = io::read_safetensors(path);
  if (is_checkpoint(content))
    throw ModelError(
        fmt::format("{0}: is a checkpoint, not a model; continue it with edgewise train --resume {0}", path));
  return from_safetensors(path, std::move(content));
}

TrainedModel from_safetensors(const std::string& path, io::Safetensors content) {
  std::vector<TrainedModel> others;
  for (std::size_t kind = 1; kind < kMaxKinds && has_kind(kind, content); ++kind)
    others.push_back(one_from_safetensors(path, take_kind(kind, content)));
  TrainedModel trained = one_from_safetensors(path, content);
  for (const TrainedModel& other : others) check_averaged(path, trained, other);
  trained.other_components = std::move(others);
  return trained;
}

}  // namespace edgewise::train
