#include "edgewise/train/job.hpp"

#include <chrono>

#include "edgewise/core/version.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/baselines.hpp"
#include "edgewise/train/ensemble.hpp"
#include "edgewise/train/node_examples.hpp"
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

bool has_paths(const JobData& data) { return data.graphs && data.graphs->paths.maximum > 0; }

nn::ModelShape shape_of(const JobData& data, const data::Features& features, const graph::FrozenGraph& frozen) {
  return {.inputs = static_cast<int>(features.columns()),
          .outputs = static_cast<int>(data.labels.names.size()),
          .edge_features = static_cast<int>(frozen.edge_features.cols()),
          .pair_features = has_paths(data) ? data.graphs->paths.maximum + 2 : 0};
}

/// Seeds of the models of an ensemble; the first is that of the run.
std::uint64_t member_seed(std::uint64_t seed, std::int64_t member) {
  return seed + 1'000'000 * static_cast<std::uint64_t>(member);
}

/// The report of a run is that of its first model; epochs and time are those of all.
void add_report(const Report& report, Report& total) {
  if (total.epochs == 0) {
    total = report;
    return;
  }
  total.epochs += report.epochs;
  total.seconds += report.seconds;
  total.was_stopped = report.was_stopped;
}

void add_member(nn::Model&& model, std::optional<nn::Model>& first, std::vector<nn::Model>& others) {
  if (first)
    others.push_back(std::move(model));
  else
    first.emplace(std::move(model));
}

}  // namespace

std::string model_name(const json::Value& model) { return model.get("preset", "blocks"); }

json::Value complete_model(const json::Value& model, const JobData& data) {
  json::Value completed = model;
  if (data.graphs && completed.find("preset") != nullptr && completed.find("readout") == nullptr)
    completed.set("readout", "mean");
  if (data.graph.edges().weights.empty()) return completed;
  const json::Value* given = completed.find("graph");
  json::Value options = given != nullptr ? *given : json::Value(json::Object{});
  if (options.find("weight_as_feature") == nullptr) options.set("weight_as_feature", true);
  completed.set("graph", std::move(options));
  return completed;
}

GraphExamplesOptions graph_examples_options(const JobData& data, std::int64_t batch_size) {
  return {.batch_size = static_cast<std::size_t>(batch_size),
          .sign_columns = data.graphs->sign_columns,
          .paths = has_paths(data) ? &data.graphs->paths : nullptr};
}

std::unique_ptr<Examples> make_examples(const JobData& data, const data::Features& features,
                                        const graph::FrozenGraph& frozen, std::int64_t batch_size) {
  if (!data.graphs) return std::make_unique<NodeExamples>(features, frozen);
  return std::make_unique<GraphExamples>(features, graph::GraphUnion{frozen, data.graphs->offsets},
                                         graph_examples_options(data, batch_size));
}

Run run_job(const Config& config, const JobData& data, std::int64_t run_index, const FitHooks& hooks) {
  const std::uint64_t seed = config.training.seed + static_cast<std::uint64_t>(run_index);
  data::Split split = make_split(data, config.split, seed, run_index);
  data::check_split(split, data.labels);
  if (is_baseline(config.model)) return run_baseline(config, data, std::move(split));

  Run run;
  FeatureMap map = FeatureMap::fit(data, data.config, split_column(data, config.split),
                                   data::nodes_with_role(split, data::Role::train));
  run.notes = map.notes();
  const data::Features features = map.apply(data);
  const json::Value model_config = complete_model(config.model, data);
  const graph::FrozenGraph frozen = graph::freeze(data.graph, nn::graph_options_of(model_config));
  const std::unique_ptr<Examples> examples = make_examples(data, features, frozen, config.training.batch_size);
  TrainOptions options = config.training;
  std::optional<nn::Model> first;
  std::vector<nn::Model> others;
  Ensemble ensemble;
  for (std::int64_t member = 0; member < config.ensemble && !run.report.was_stopped; ++member) {
    options.seed = member_seed(seed, member);
    nn::Model model(model_config, shape_of(data, features, frozen), options.seed);
    const Report report = fit(model, *examples, data.labels, split, options, hooks);
    ensemble.add(predict(model, *examples, data.labels.task, report.scaler));
    run.parameters += model.parameter_count();
    add_report(report, run.report);
    add_member(std::move(model), first, others);
  }
  run.predictions = ensemble.mean();
  run.deviations = ensemble.deviation();
  if (config.ensemble > 1) evaluate_parts(data.labels, split, run.predictions, run.report);
  run.inputs = features.columns();
  run.split = std::move(split);
  run.bundle.emplace(Bundle{.model = std::move(*first),
                            .others = std::move(others),
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
