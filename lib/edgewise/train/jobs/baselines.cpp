#include "edgewise/train/jobs/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "edgewise/core/error.hpp"
#include "edgewise/data/column_scaler.hpp"
#include "edgewise/data/descriptors.hpp"
#include "edgewise/data/fingerprints.hpp"
#include "edgewise/data/graph_statistics.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/baselines/kernel_baseline.hpp"
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

constexpr std::size_t kCountedBits = std::size_t{1} << 20;  // where hardly any two substructures share one
constexpr std::array kWidths = {0.03, 0.1, 0.3, 1.0};       // of Gaussian kernels on descriptors

/// The parts of a split that a baseline is fitted to and chosen on.
struct Parts {
  std::vector<graph::Node> train, validation;
};

Matrix regress_sums(const JobData& data, const Parts& parts) {
  const data::Features sums = data::summed_node_features(data.features, data.graphs->offsets);
  return fit_linear_baseline(sums, data.labels, parts.train, parts.validation).predictions;
}

Matrix regress_fingerprints(const JobData& data, const Parts& parts) {
  const data::Fingerprints fingerprints =
      data::morgan_fingerprints(data.graphs->smiles, {.bits = kCountedBits, .counts = true});
  const Kernel kernel = tanimoto_kernel(fingerprints.features.sparse);
  return fit_kernel_baseline({&kernel, 1}, data.labels, parts.train, parts.validation).predictions;
}

Matrix regress_descriptors(const JobData& data, const Parts& parts) {
  const Matrix values = data::molecule_descriptors(data.graphs->smiles).values;
  const Matrix scaled = data::ColumnScaler::fit(values, parts.train).apply(values);
  std::vector<Kernel> kernels;
  for (const double width : kWidths) kernels.push_back(gaussian_kernel(scaled, width));
  return fit_kernel_baseline(kernels, data.labels, parts.train, parts.validation).predictions;
}

Matrix predictions_of(const Config& config, const JobData& data, const data::Split& split) {
  const std::string name = model_name(config.model);
  if (name == "label_propagation") return propagate_labels(config, data, split);
  if (!data.graphs)
    throw UsageError(fmt::format("model: \"{}\" is for graphs, and the data has labels of nodes", name));
  config.model.allow_only({"preset"});
  const Parts parts{labelled(data.labels, data::nodes_with_role(split, data::Role::train)),
                    data::nodes_with_role(split, data::Role::validation)};
  if (name == "sum_features") return regress_sums(data, parts);
  if (!data.graphs->are_molecules)
    throw UsageError(fmt::format("model: \"{}\" is for molecules, and the data has none", name));
  return name == "descriptors" ? regress_descriptors(data, parts) : regress_fingerprints(data, parts);
}

}  // namespace

std::vector<std::string> baseline_names() {
  return {"label_propagation", "fingerprint", "descriptors", "sum_features"};
}

bool is_baseline(const json::Value& model) { return std::ranges::count(baseline_names(), model_name(model)) > 0; }

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
