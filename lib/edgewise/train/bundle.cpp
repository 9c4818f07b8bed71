#include "edgewise/train/bundle.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/model_file.hpp"
#include "edgewise/train/ensemble.hpp"
#include "edgewise/train/predict.hpp"

namespace edgewise::train {
namespace {

data::Task parse_task(const std::string& name) {
  using enum data::Task;
  for (const data::Task task : {classification, multilabel, regression})
    if (name == to_string(task)) return task;
  throw ModelError(fmt::format("labels: unknown task \"{}\"", name));
}

Bundle from_sections(nn::LoadedModel&& loaded) {
  const json::Value& sections = loaded.sections;
  Config config;
  json::Value jobs;
  jobs.set("data", sections.at("data"));
  jobs.set("split", sections.at("split"));
  config = parse_config(jobs);
  const json::Value& labels = sections.at("labels");
  Bundle bundle{.model = std::move(loaded.model),
                .others = std::move(loaded.others),
                .data = config.data,
                .split = config.split,
                .features = FeatureMap::from_json(sections.at("features")),
                .task = parse_task(labels.at("task").as_string()),
                .label_names = labels.at("names").as_strings(),
                .scaler = {},
                .training = sections.at("training")};
  if (bundle.task == data::Task::regression) bundle.scaler = data::TargetScaler::from_json(sections.at("scaler"));
  const auto outputs = static_cast<std::size_t>(bundle.model.shape().outputs);
  if (bundle.label_names.size() != outputs)
    throw ModelError(fmt::format("labels: {} names for {} outputs", bundle.label_names.size(), outputs));
  if (bundle.task == data::Task::regression && bundle.scaler.columns() != outputs)
    throw ModelError(fmt::format("scaler: {} columns for {} outputs", bundle.scaler.columns(), outputs));
  if (bundle.features.columns() != static_cast<std::size_t>(bundle.model.shape().inputs))
    throw ModelError(fmt::format("features: {} columns for {} inputs", bundle.features.columns(),
                                 bundle.model.shape().inputs));
  return bundle;
}

}  // namespace

Matrix predict(Bundle& bundle, Examples& examples, Matrix* deviations) {
  Ensemble ensemble;
  ensemble.add(predict(bundle.model, examples, bundle.task, bundle.scaler));
  for (nn::Model& other : bundle.others) ensemble.add(predict(other, examples, bundle.task, bundle.scaler));
  if (deviations != nullptr) *deviations = ensemble.deviation();
  return ensemble.mean();
}

std::string to_string(data::Task task) {
  switch (task) {
    case data::Task::multilabel: return "multilabel";
    case data::Task::regression: return "regression";
    case data::Task::classification: break;
  }
  return "classification";
}

void save_bundle(const std::string& path, Bundle& bundle) {
  Config config;
  config.data = bundle.data;
  config.split = bundle.split;
  const json::Value jobs = to_json(config);
  json::Value labels;
  labels.set("task", to_string(bundle.task));
  labels.set("names", bundle.label_names);
  json::Value sections;
  sections.set("data", jobs.at("data"));
  sections.set("split", jobs.at("split"));
  sections.set("features", bundle.features.to_json());
  sections.set("labels", std::move(labels));
  if (bundle.task == data::Task::regression) sections.set("scaler", bundle.scaler.to_json());
  sections.set("training", bundle.training);
  std::vector<nn::Model*> models = {&bundle.model};
  for (nn::Model& other : bundle.others) models.push_back(&other);
  nn::save_models(path, models, sections);
}

Bundle load_bundle(const std::string& path) {
  nn::LoadedModel loaded = nn::load_model(path);
  try {
    return from_sections(std::move(loaded));
  } catch (const Error& error) {
    throw ModelError(fmt::format("{}: this model file cannot be used: {}", path, error.what()));
  }
}

}  // namespace edgewise::train
