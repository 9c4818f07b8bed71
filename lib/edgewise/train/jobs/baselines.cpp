#include "edgewise/train/jobs/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "edgewise/core/error.hpp"
#include "edgewise/data/fingerprints.hpp"
#include "edgewise/data/graph_statistics.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/nn/concat_set.hpp"
#include "edgewise/train/baselines/boosted_trees.hpp"
#include "edgewise/train/baselines/kernel_baseline.hpp"
#include "edgewise/train/baselines/kernel_map.hpp"
#include "edgewise/train/baselines/label_propagation.hpp"
#include "edgewise/train/baselines/linear_baseline.hpp"
#include "edgewise/train/jobs/job.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/predict.hpp"

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

constexpr std::array kWidths = {0.03, 0.1, 0.3, 1.0};  // of Gaussian kernels on descriptors

/// The parts of a split that a baseline is fitted to and chosen on.
struct Parts {
  std::vector<graph::Node> train, validation;
};

/// A linear model of graphs: of sums over their nodes, and of columns beside them. Weights as LinearBaseline has them.
struct LinearModel {
  Eigen::MatrixXd of_nodes;    ///< [features, outputs]
  Eigen::MatrixXd of_columns;  ///< [columns, outputs]
  Eigen::RowVectorXd bias;
  std::vector<std::string> described = {};  ///< DataConfig::descriptors.
  DescriptorMap descriptors = {};
  Matrix columns = {};  ///< Of all graphs.
};

/// One that looks at the columns that `descriptors` makes.
LinearModel on_columns(const LinearBaseline& fitted, std::size_t features, DescriptorMap descriptors, Matrix columns) {
  const Eigen::Index rows = fitted.weights.rows() - 1;
  return {.of_nodes = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(features), fitted.weights.cols()),
          .of_columns = fitted.weights.topRows(rows),
          .bias = fitted.weights.row(rows),
          .descriptors = std::move(descriptors),
          .columns = std::move(columns)};
}

SparseMatrix rows_of(const SparseMatrix& from, std::span<const graph::Node> rows) {
  SparseMatrix some(static_cast<Eigen::Index>(rows.size()), from.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    some.startVec(static_cast<Eigen::Index>(i));
    for (SparseMatrix::InnerIterator entry(from, rows[i]); entry; ++entry)
      some.insertBack(static_cast<Eigen::Index>(i), entry.col()) = entry.value();
  }
  some.finalize();
  return some;
}

LinearModel fit_sums(const JobData& data, const data::Features& features, const Parts& parts) {
  const data::Features sums = data::summed_node_features(features, data.graphs->offsets);
  const LinearBaseline fitted = fit_linear_baseline(sums, data.labels, parts.train, parts.validation);
  const Eigen::Index rows = fitted.weights.rows() - 1;
  return {.of_nodes = fitted.weights.topRows(rows),
          .of_columns = Eigen::MatrixXd::Zero(0, fitted.weights.cols()),
          .bias = fitted.weights.row(rows)};
}

LinearModel fit_fingerprints(const JobData& data, const data::Features& features, const Parts& parts) {
  const SparseMatrix counts =
      data::morgan_fingerprints(data.graphs->smiles, {.bits = kFingerprintColumns, .counts = true}).features.sparse;
  const Kernel kernel = tanimoto_kernel(counts);
  const KernelBaseline fitted = fit_kernel_baseline({&kernel, 1}, data.labels, parts.train, parts.validation);
  const KernelMap map = KernelMap::tanimoto(rows_of(counts, fitted.pivots));
  DescriptorMap descriptors;
  descriptors.set_kernel(map);
  return on_columns(fitted.linear, features.columns(), std::move(descriptors), map.apply(counts));
}

LinearModel fit_descriptors(const JobData& data, const data::Features& features, const Parts& parts) {
  const GraphDescriptors& values = rdkit_descriptors(*data.graphs);
  DescriptorMap descriptors = DescriptorMap::fit(values, parts.train);
  const Matrix scaled = descriptors.scale(values);
  std::vector<Kernel> kernels;
  for (const double width : kWidths) kernels.push_back(gaussian_kernel(scaled, width));
  const KernelBaseline fitted = fit_kernel_baseline(kernels, data.labels, parts.train, parts.validation);
  const KernelMap map = KernelMap::gaussian(scaled(fitted.pivots, Eigen::all), kWidths.at(fitted.kernel));
  descriptors.set_kernel(map);
  LinearModel model = on_columns(fitted.linear, features.columns(), std::move(descriptors), map.apply(scaled));
  model.described = {kRdkitDescriptors};
  return model;
}

LinearModel fit_trees(const JobData& data, const data::Features& features, const Parts& parts) {
  const GraphDescriptors& values = rdkit_descriptors(*data.graphs);
  DescriptorMap descriptors = DescriptorMap::fit(values, parts.train);
  const SparseMatrix asked = tree_features(descriptors.scale(values), data.graphs->smiles);
  const TreeMap trees = fit_boosted_trees(asked, data.labels, parts.train, parts.validation);
  descriptors.set_trees(trees);
  const auto outputs = static_cast<Eigen::Index>(trees.outputs());
  return {.of_nodes = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(features.columns()), outputs),
          .of_columns = Eigen::MatrixXd::Identity(outputs, outputs),
          .bias = Eigen::RowVectorXd::Zero(outputs),
          .described = {kRdkitDescriptors},
          .descriptors = std::move(descriptors),
          .columns = trees.apply(asked)};
}

LinearModel fit_linear_model(const Config& config, const JobData& data, const data::Features& features,
                             const Parts& parts) {
  const std::string name = model_name(config.model);
  if (name == "sum_features") return fit_sums(data, features, parts);
  if (!data.graphs->are_molecules)
    throw UsageError(fmt::format("model: \"{}\" is for molecules, and the data has none", name));
  if (name == "boosted_trees") return fit_trees(data, features, parts);
  return name == "descriptors" ? fit_descriptors(data, features, parts) : fit_fingerprints(data, features, parts);
}

/// Linear maps of each node and, behind the sums of these and beside the columns, of each graph.
json::Value blocks_of(const LinearModel& linear) {
  json::Array blocks = {json::Object{{"type", "linear"}, {"width", "outputs"}, {"bias", false}},
                        json::Object{{"type", "readout"}, {"kind", "sum"}}};
  if (linear.columns.cols() > 0) blocks.emplace_back(json::Object{{"type", "concat_set"}, {"set", nn::kDescriptors}});
  blocks.emplace_back(json::Object{{"type", "linear"}, {"width", "outputs"}});
  return json::Object{{"blocks", std::move(blocks)}};
}

/// Outputs of models are numbers of which `scaler` makes the user's.
void set_weights(const LinearModel& linear, const data::TargetScaler& scaler, nn::Model& model) {
  const Eigen::Index outputs = linear.bias.size();
  Eigen::RowVectorXd scale = Eigen::RowVectorXd::Ones(outputs), bias = linear.bias;
  for (std::size_t i = 0; i < scaler.columns(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    scale[column] = 1 / scaler.deviation()[i];
    bias[column] = (bias[column] - scaler.mean()[i]) * scale[column];
  }
  const std::vector<autograd::Parameter*> parameters = model.parameters();  // of nodes; of graphs, and their bias
  parameters.at(0)->value = (linear.of_nodes * scale.asDiagonal()).cast<float>();
  Matrix& last = parameters.at(1)->value;
  last.topRows(outputs).setIdentity();
  last.bottomRows(linear.of_columns.rows()) = (linear.of_columns * scale.asDiagonal()).cast<float>();
  parameters.at(2)->value = bias.cast<float>();
}

/// A baseline that can be kept: fits it, makes it a model, and asks that.
void run_linear_model(const Config& config, const JobData& data, Run& run) {
  if (!data.graphs)
    throw UsageError(
        fmt::format("model: \"{}\" is for graphs, and the data has labels of nodes", model_name(config.model)));
  config.model.allow_only({"preset"});
  const Parts parts{labelled(data.labels, data::nodes_with_role(run.split, data::Role::train)),
                    data::nodes_with_role(run.split, data::Role::validation)};
  FeatureMap map = FeatureMap::fit(data, data.config, split_column(data, config.split),
                                   data::nodes_with_role(run.split, data::Role::train));
  const data::Features features = map.apply(data);
  LinearModel linear = fit_linear_model(config, data, features, parts);
  const json::Value blocks = blocks_of(linear);
  const graph::FrozenGraph frozen = graph::freeze(data.graph, nn::graph_options_of(blocks));
  nn::Model model(blocks, shape_of(data, features, frozen, linear.columns), 0);
  set_weights(linear, run.report.scaler, model);
  const auto batches = make_batches(data, features, frozen, config.training.batch_size, {}, {}, &linear.columns);
  run.predictions = predict(model, *batches, data.labels.task, run.report.scaler);
  run.parameters = model.parameter_count();
  run.inputs = features.columns() + static_cast<std::size_t>(linear.columns.cols());
  run.trained.emplace(TrainedModel{.model = std::move(model),
                                   .data = data.config,
                                   .split = config.split,
                                   .features = std::move(map),
                                   .descriptors = std::move(linear.descriptors),
                                   .task = data.labels.task,
                                   .label_names = data.labels.names,
                                   .scaler = run.report.scaler,
                                   .training = {}});
  run.trained->data.descriptors = std::move(linear.described);
}

}  // namespace

std::vector<std::string> baseline_names() {
  return {"label_propagation", "fingerprint", "descriptors", "boosted_trees", "sum_features"};
}

bool is_baseline(const json::Value& model) { return std::ranges::count(baseline_names(), model_name(model)) > 0; }

bool has_no_model(const json::Value& model) { return model_name(model) == "label_propagation"; }

void evaluate_parts(const data::Labels& labels, const data::Split& split, const Matrix& predictions, Report& report) {
  const auto part = [&](data::Role role) {
    return evaluate(labels, predictions, data::nodes_with_role(split, role), report.scaler.deviation());
  };
  report.train = part(data::Role::train);
  report.validation = part(data::Role::validation);
  report.test = part(data::Role::test);
}

Run run_baseline(const Config& config, const JobData& data, data::Split split, std::int64_t index) {
  const auto start = std::chrono::steady_clock::now();
  Run run;
  run.split = std::move(split);
  run.report.metric = config.training.metric.empty() ? default_metric(data.labels) : config.training.metric;
  if (data.labels.task == data::Task::regression)
    run.report.scaler =
        data::TargetScaler::fit(data.labels.targets, data::nodes_with_role(run.split, data::Role::train));
  if (has_no_model(config.model))
    run.predictions = propagate_labels(config, data, run.split);
  else
    run_linear_model(config, data, run);
  evaluate_parts(data.labels, run.split, run.predictions, run.report);
  run.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (run.trained) run.trained->training = training_record(config, config.training, data, index, run);
  return run;
}

}  // namespace edgewise::train
