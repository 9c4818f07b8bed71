#include "edgewise/train/job.hpp"

#include <chrono>

#include "edgewise/core/version.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/label_propagation.hpp"
#include "edgewise/train/objective.hpp"
#include "edgewise/train/predict.hpp"

namespace edgewise::train {
namespace {

json::Value to_json(const Metrics& metrics) {
  json::Value value{json::Object{}};
  for (const auto& [name, number] : metrics) value.set(name, number);
  return value;
}

json::Value training_record(const Config& config, std::uint64_t seed, std::int64_t run, const Report& report) {
  json::Value record;
  record.set("version", kVersion);
  record.set("seed", seed);
  record.set("run", run);
  record.set("model", config.model);
  record.set("options", train::to_json(config.training));
  record.set("epochs", report.epochs);
  record.set("best_epoch", report.best_epoch);
  record.set("validation", to_json(report.validation));
  record.set("test", to_json(report.test));
  return record;
}

void evaluate_parts(const data::Labels& labels, const data::Split& split, const Matrix& predictions, Report& report) {
  report.train = evaluate(labels, predictions, data::nodes_with_role(split, data::Role::train));
  report.validation = evaluate(labels, predictions, data::nodes_with_role(split, data::Role::validation));
  report.test = evaluate(labels, predictions, data::nodes_with_role(split, data::Role::test));
}

Run run_label_propagation(const Config& config, const JobData& data, data::Split split) {
  const auto start = std::chrono::steady_clock::now();
  config.model.allow_only({"preset", "alpha", "iterations"});
  LabelPropagationOptions options;
  options.alpha = config.model.get("alpha", options.alpha);
  options.iterations = config.model.get("iterations", options.iterations);
  Run run;
  run.predictions = label_propagation(data.graph, data.labels, split, options);
  run.report.metric = config.training.metric.empty() ? default_metric(data.labels.task) : config.training.metric;
  evaluate_parts(data.labels, split, run.predictions, run.report);
  run.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.split = std::move(split);
  return run;
}

nn::ModelShape shape_of(const data::Features& features, const data::Labels& labels,
                        const graph::FrozenGraph& frozen) {
  return {.inputs = static_cast<int>(features.columns()),
          .outputs = static_cast<int>(labels.names.size()),
          .edge_features = static_cast<int>(frozen.edge_features.cols())};
}

}  // namespace

std::string model_name(const json::Value& model) { return model.get("preset", "blocks"); }

json::Value complete_model(const json::Value& model, const graph::Graph& graph) {
  json::Value completed = model;
  if (graph.edges().weights.empty()) return completed;
  const json::Value* given = completed.find("graph");
  json::Value options = given != nullptr ? *given : json::Value(json::Object{});
  if (options.find("weight_as_feature") == nullptr) options.set("weight_as_feature", true);
  completed.set("graph", std::move(options));
  return completed;
}

Run run_job(const Config& config, const JobData& data, std::int64_t run_index, const FitHooks& hooks) {
  const std::uint64_t seed = config.training.seed + static_cast<std::uint64_t>(run_index);
  data::Split split = make_split(data, config.split, seed, run_index);
  data::check_split(split, data.labels);
  if (model_name(config.model) == "label_propagation") return run_label_propagation(config, data, std::move(split));

  Run run;
  FeatureMap map = FeatureMap::fit(data, data.config, split_column(data, config.split),
                                   data::nodes_with_role(split, data::Role::train));
  run.notes = map.notes();
  const data::Features features = map.apply(data);
  const json::Value model_config = complete_model(config.model, data.graph);
  const graph::FrozenGraph frozen = graph::freeze(data.graph, nn::graph_options_of(model_config));
  nn::Model model(model_config, shape_of(features, data.labels, frozen), seed);
  TrainOptions options = config.training;
  options.seed = seed;
  run.report = fit(model, features, data.labels, frozen, split, options, hooks);
  run.predictions = predict(model, features, frozen, data.labels.task, run.report.scaler);
  run.parameters = model.parameter_count();
  run.inputs = features.columns();
  run.split = std::move(split);
  run.bundle.emplace(Bundle{.model = std::move(model),
                            .data = data.config,
                            .split = config.split,
                            .features = std::move(map),
                            .task = data.labels.task,
                            .label_names = data.labels.names,
                            .scaler = run.report.scaler,
                            .training = training_record(config, seed, run_index, run.report)});
  return run;
}

}  // namespace edgewise::train
