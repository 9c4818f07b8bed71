#include "edgewise/train/jobs/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "edgewise/core/error.hpp"
#include "edgewise/data/fingerprints.hpp"
#include "edgewise/data/graph_statistics.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/baselines/label_propagation.hpp"
#include "edgewise/train/baselines/linear_baseline.hpp"
#include "edgewise/train/loop/objective.hpp"

namespace edgewise::train {
namespace {

Matrix propagate_labels(const Config& config, const JobData& data, const data::Split& split) {
  if (data.graphs) throw UsageError("model: label propagation is for nodes, and the data has labels of graphs");
  config.model.allow_only({"preset", "alpha", "iterations"});
  LabelPropagationOptions options;
  options.alpha = config.model.get("alpha", options.alpha);
  options.iterations = config.model.get("iterations", options.iterations);
  return label_propagation(data.graph, data.labels, split, options);
}

Matrix regress(const data::Features& features, const Config& config, const JobData& data, const data::Split& split) {
  config.model.allow_only({"preset"});
  return fit_linear_baseline(features, data.labels, data::nodes_with_role(split, data::Role::train),
                             data::nodes_with_role(split, data::Role::validation))
      .predictions;
}

Matrix predictions_of(const Config& config, const JobData& data, const data::Split& split) {
  const std::string name = model_name(config.model);
  if (name == "label_propagation") return propagate_labels(config, data, split);
  if (!data.graphs) throw UsageError(fmt::format("model: \"{}\" is for graphs, and the data has labels of nodes", name));
  if (name == "sum_features")
    return regress(data::summed_node_features(data.features, data.graphs->offsets), config, data, split);
  if (!data.graphs->are_molecules)
    throw UsageError(fmt::format("model: \"{}\" is for molecules, and the data has none", name));
  return regress(data::morgan_fingerprints(data.graphs->smiles).features, config, data, split);
}

}  // namespace

std::vector<std::string> baseline_names() { return {"label_propagation", "fingerprint", "sum_features"}; }

bool is_baseline(const json::Value& model) {
  return std::ranges::count(baseline_names(), model_name(model)) > 0;
}

void evaluate_parts(const data::Labels& labels, const data::Split& split, const Matrix& predictions, Report& report) {
  const auto part = [&](data::Role role) {
    return evaluate(labels, predictions, data::nodes_with_role(split, role), report.scaler.deviation());
  };
  report.train = part(data::Role::train);
  report.validation = part(data::Role::validation);
  report.test = part(data::Role::test);
}

Run run_baseline(const Config& config, const JobData& data, data::Split split) {
  const auto start = std::chrono::steady_clock::now();
  Run run;
  run.predictions = predictions_of(config, data, split);
  run.report.metric = config.training.metric.empty() ? default_metric(data.labels) : config.training.metric;
  if (data.labels.task == data::Task::regression)
    run.report.scaler = data::TargetScaler::fit(data.labels.targets, data::nodes_with_role(split, data::Role::train));
  evaluate_parts(data.labels, split, run.predictions, run.report);
  run.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.split = std::move(split);
  return run;
}

}  // namespace edgewise::train
