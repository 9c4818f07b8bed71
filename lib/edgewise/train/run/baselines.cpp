#include "edgewise/train/run/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>

#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/append_columns.hpp"
#include "edgewise/data/edge_statistics.hpp"
#include "edgewise/data/graph_statistics.hpp"
#include "edgewise/data/select_rows.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/nn/concat_set.hpp"
#include "edgewise/train/baselines/boosted_trees.hpp"
#include "edgewise/train/baselines/even_share.hpp"
#include "edgewise/train/baselines/kernel_baseline.hpp"
#include "edgewise/train/baselines/kernel_map.hpp"
#include "edgewise/train/baselines/label_propagation.hpp"
#include "edgewise/train/baselines/linear_baseline.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/inputs/descriptor_map.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "edgewise/train/inputs/model_shape.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/run/refine_run.hpp"
#include "edgewise/train/run/link_baselines.hpp"
#include "edgewise/train/run/run_record.hpp"
#include "edgewise/train/source/molecule_descriptors.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

Matrix propagate_labels(const Config& config, const Dataset& data, const data::Split& split) {
  if (data.graphs) throw UsageError("model: label propagation is for nodes, but the data has labels of graphs");
  config.model.json().allow_only({"preset", "alpha", "iterations"});
  LabelPropagationOptions options;
  options.alpha = config.model.json().get("alpha", options.alpha);
  options.iterations = config.model.json().get("iterations", options.iterations);
  Matrix probabilities = label_propagation(data.graph, data.labels, split, options);
  probabilities.conservativeResize(static_cast<Eigen::Index>(data.labels.classes.size()), Eigen::NoChange);
  share_evenly(probabilities);
  return probabilities;
}

constexpr std::array kWidths = {0.03, 0.1, 0.3, 1.0};  // for Gaussian kernels on descriptors

/// Whether training should end.
using ShouldStop = std::function<bool()>;

/// The parts of a split used to fit and select a baseline.
struct Parts {
  std::vector<graph::Node> train, validation;
};

/// A linear model of graphs: of sums over their nodes and of additional columns. Weights as in LinearBaseline.
struct LinearModel {
  Eigen::MatrixXd of_nodes;    ///< [features, outputs]
  Eigen::MatrixXd of_columns;  ///< [columns, outputs]
  Eigen::RowVectorXd bias;
  std::vector<std::string> described = {};  ///< DataConfig::descriptors.
  DescriptorMap descriptors = {};
  Matrix columns = {};  ///< For all graphs.
};

/// A model of the columns that `descriptors` makes.
LinearModel on_columns(const LinearBaseline& fitted, std::size_t features, DescriptorMap descriptors, Matrix columns) {
  const Eigen::Index rows = fitted.weights.rows() - 1;
  return {.of_nodes = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(features), fitted.weights.cols()),
          .of_columns = fitted.weights.topRows(rows),
          .bias = fitted.weights.row(rows),
          .descriptors = std::move(descriptors),
          .columns = std::move(columns)};
}

LinearModel fit_sums(const Dataset& data, const data::Features& features, const Parts& parts, const ShouldStop&) {
  const data::Features sums = data::summed_node_features(features, data.graphs->offsets);
  const LinearBaseline fitted = fit_linear_baseline(sums, data.labels, parts.train, parts.validation);
  const Eigen::Index rows = fitted.weights.rows() - 1;
  return {.of_nodes = fitted.weights.topRows(rows),
          .of_columns = Eigen::MatrixXd::Zero(0, fitted.weights.cols()),
          .bias = fitted.weights.row(rows)};
}

/// RDKit's descriptors, followed by the columns of the table that are descriptors.
GraphDescriptors all_descriptors(const GraphItems& molecules, const GraphDescriptors& of_table) {
  GraphDescriptors all = rdkit_descriptors(molecules);
  std::ranges::copy(of_table.names, std::back_inserter(all.names));
  data::append_columns(of_table.values, all.values);
  return all;
}

/// DataConfig::descriptors: RDKit's, if they are used, and those of the table.
std::vector<std::string> described(bool uses_rdkit, const GraphDescriptors& of_table) {
  std::vector<std::string> names = of_table.names;
  if (uses_rdkit) names.insert(names.begin(), kRdkitDescriptors);
  return names;
}

/// Kernels with the widths to choose from: each of `plain`, times one on the columns of the table if there are any.
struct KernelChoice {
  std::vector<Kernel> kernels = {};
  std::vector<double> widths = {};  ///< On these columns, one per kernel.

  KernelChoice(const std::vector<Kernel>& plain, const Matrix& columns) {
    constexpr std::array kColumnWidths = {0.1, 1.0, 10.0};
    for (const Kernel& kernel : plain)
      if (columns.cols() == 0)
        add(kernel, 1);
      else
        for (const double width : kColumnWidths) add(product_kernel(kernel, gaussian_kernel(columns, width)), width);
  }

  void add(Kernel kernel, double width) {
    kernels.push_back(std::move(kernel));
    widths.push_back(width);
  }
};

LinearModel fit_fingerprints(const Dataset& data, const data::Features& features, const Parts& parts,
                             const ShouldStop&) {
  const SparseMatrix counts = fingerprints_of(data, kFingerprintColumns);
  const GraphDescriptors of_table = table_descriptors(*data.graphs);
  DescriptorMap descriptors = DescriptorMap::fit(of_table, parts.train);
  const Matrix columns = descriptors.scale(of_table);
  const KernelChoice choice({tanimoto_kernel(counts)}, columns);
  const KernelBaseline fitted = fit_kernel_baseline(choice.kernels, data.labels, parts.train, parts.validation);
  const KernelMap map = KernelMap::tanimoto(data::select_rows(counts, fitted.pivots),
                                            {columns(fitted.pivots, Eigen::all), choice.widths.at(fitted.kernel)});
  descriptors.set_kernel(map);
  LinearModel model = on_columns(fitted.linear, features.columns(), std::move(descriptors), map.apply(counts, columns));
  model.described = described(false, of_table);
  return model;
}

LinearModel fit_descriptors(const Dataset& data, const data::Features& features, const Parts& parts,
                            const ShouldStop&) {
  const GraphDescriptors of_table = table_descriptors(*data.graphs);
  const GraphDescriptors values = all_descriptors(*data.graphs, of_table);
  DescriptorMap descriptors = DescriptorMap::fit(values, parts.train);
  const Matrix scaled = descriptors.scale(values);
  const Matrix columns = scaled.rightCols(of_table.values.cols());
  const Matrix of_rdkit = scaled.leftCols(scaled.cols() - columns.cols());
  std::vector<Kernel> kernels;
  for (const double width : kWidths) kernels.push_back(gaussian_kernel(of_rdkit, width));
  const KernelChoice choice(kernels, columns);
  const KernelBaseline fitted = fit_kernel_baseline(choice.kernels, data.labels, parts.train, parts.validation);
  const std::size_t per_width = choice.kernels.size() / kWidths.size();
  const KernelMap map =
      KernelMap::gaussian(of_rdkit(fitted.pivots, Eigen::all), kWidths.at(fitted.kernel / per_width),
                          {columns(fitted.pivots, Eigen::all), choice.widths.at(fitted.kernel)});
  descriptors.set_kernel(map);
  LinearModel model =
      on_columns(fitted.linear, features.columns(), std::move(descriptors), map.apply(of_rdkit, columns));
  model.described = described(true, of_table);
  return model;
}

LinearModel fit_trees(const Dataset& data, const data::Features& features, const Parts& parts,
                      const BoostedTreesOptions& options) {
  const GraphDescriptors of_table = table_descriptors(*data.graphs);
  const GraphDescriptors values = all_descriptors(*data.graphs, of_table);
  DescriptorMap descriptors = DescriptorMap::fit(values, parts.train);
  const SparseMatrix inputs = tree_features(descriptors.scale(values), data);
  const TreeMap trees = fit_boosted_trees(inputs, data.labels, parts.train, parts.validation, options);
  descriptors.set_trees(trees);
  const auto outputs = static_cast<Eigen::Index>(trees.outputs());
  return {.of_nodes = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(features.columns()), outputs),
          .of_columns = Eigen::MatrixXd::Identity(outputs, outputs),
          .bias = Eigen::RowVectorXd::Zero(outputs),
          .described = described(true, of_table),
          .descriptors = std::move(descriptors),
          .columns = trees.apply(inputs)};
}

LinearModel fit_boosted_molecules(const Dataset& data, const data::Features& features, const Parts& parts,
                                  const ShouldStop& should_stop) {
  return fit_trees(data, features, parts, {.should_stop = should_stop});
}

/// A forest whose file stays small: a hundred trees, without leaves of single rows.
LinearModel fit_forest(const Dataset& data, const data::Features& features, const Parts& parts, const ShouldStop&) {
  const double column_share = data.labels.has_numbers() ? 1.0 / 3 : 0;
  return fit_trees(data, features, parts,
                   {.forest = 100, .leaf_rows = 2, .depth = 24, .row_share = 0.632, .column_share = column_share});
}

/// A baseline that becomes a model. Items that it does not take have neither trees nor `fit_graphs`; those for labels
/// of edges have sums alone.
struct KeptBaseline {
  using Rows = FeatureTrees::Rows;
  using Fit = LinearModel (*)(const Dataset&, const data::Features&, const Parts&, const ShouldStop&);

  std::string_view name;
  std::optional<Rows> trees_of_nodes = {};   ///< What trees that predict nodes see.
  std::optional<Rows> trees_of_graphs = {};  ///< What trees that predict graphs see.
  Fit fit_graphs = nullptr;
  bool is_for_molecules = true;        ///< `fit_graphs` takes no other graphs.
  std::string_view sums_of_edges = {};  ///< The columns of edges that are learnt from.
};

constexpr std::array kKeptBaselines = {
    KeptBaseline{.name = "fingerprint", .fit_graphs = fit_fingerprints},
    KeptBaseline{.name = "descriptors", .fit_graphs = fit_descriptors},
    KeptBaseline{
        .name = "boosted_trees", .trees_of_nodes = FeatureTrees::Rows::nodes, .fit_graphs = fit_boosted_molecules},
    KeptBaseline{.name = "random_forest", .fit_graphs = fit_forest},
    KeptBaseline{.name = "neighbour_trees",
                 .trees_of_nodes = FeatureTrees::Rows::neighbours,
                 .trees_of_graphs = FeatureTrees::Rows::graphs},
    KeptBaseline{.name = "sum_features", .fit_graphs = fit_sums, .is_for_molecules = false},
    KeptBaseline{.name = "edge_biases", .sums_of_edges = data::EdgeStatistics::kSumOfBiases},
    KeptBaseline{.name = "edge_factors", .sums_of_edges = data::EdgeStatistics::kSumWithFactors},
};

/// A linear map of each node, then, on the sums of these and any additional columns, a linear map of each graph.
json::Value blocks_of(const LinearModel& linear) {
  json::Array blocks = {json::Object{{"type", "linear"}, {"width", "outputs"}, {"bias", false}},
                        json::Object{{"type", "readout"}, {"kind", "sum"}}};
  if (linear.columns.cols() > 0) blocks.emplace_back(json::Object{{"type", "concat_set"}, {"set", nn::kDescriptors}});
  blocks.emplace_back(json::Object{{"type", "linear"}, {"width", "outputs"}});
  return json::Object{{"blocks", std::move(blocks)}};
}

/// A model's outputs are converted to user units by `scaler`. These are the factor and offset that convert values in
/// user units back to outputs. What was fitted beyond a link are outputs already.
struct Scaling {
  Eigen::RowVectorXd scale, bias;

  Scaling(const Target& target, const data::TargetScaler& scaler, Eigen::Index outputs)
      : scale(Eigen::RowVectorXd::Ones(outputs)), bias(Eigen::RowVectorXd::Zero(outputs)) {
    if (target.has_link()) return;
    for (std::size_t i = 0; i < scaler.columns(); ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      scale[column] = 1 / scaler.deviation()[i];
      bias[column] = -scaler.mean()[i] * scale[column];
    }
  }
};

void set_weights(const LinearModel& linear, const Target& target, const data::TargetScaler& scaler,
                 nn::Model& model) {
  const Eigen::Index outputs = linear.bias.size();
  const Scaling scaling(target, scaler, outputs);
  const std::vector<autograd::Parameter*> parameters = model.parameters();  // for nodes; for graphs, and their bias
  parameters.at(0)->value = (linear.of_nodes * scaling.scale.asDiagonal()).cast<float>();
  Matrix& last = parameters.at(1)->value;
  last.topRows(outputs).setIdentity();
  last.bottomRows(linear.of_columns.rows()) = (linear.of_columns * scaling.scale.asDiagonal()).cast<float>();
  parameters.at(2)->value = (linear.bias.cwiseProduct(scaling.scale) + scaling.bias).cast<float>();
}

/// A model made of blocks, with weights provided by `set`, and its input for all items.
struct FittedBaseline {
  json::Value blocks;
  std::function<void(nn::Model&)> set;
  FeatureMap map;
  data::Features features;
  DescriptorMap descriptors = {};
  Matrix columns = {};  ///< For all graphs, from `descriptors`.
};

void keep(const Config& config, const Dataset& data, FittedBaseline made, Run& run) {
  const graph::FrozenGraph frozen = graph::freeze(data.graph, nn::graph_options_of(made.blocks));
  nn::Model model(made.blocks, shape_of(data, made.features, frozen, made.columns), 0);
  made.set(model);
  const auto batches = make_batches(data, made.features, frozen, config.training.batch_size, {}, {}, &made.columns);
  run.predictions = predict(model, *batches, data.labels.task, run.report.scaler, &run.deviations);
  if (made.descriptors.has_kernel()) run.uncertainty_inputs = unexplained(made.columns);
  run.parameters = model.parameter_count();
  run.inputs = made.features.columns() + static_cast<std::size_t>(made.columns.cols());
  run.trained.emplace(TrainedModel{.model = std::move(model),
                                   .data = data.reading,
                                   .split = config.split,
                                   .features = std::move(made.map),
                                   .descriptors = std::move(made.descriptors),
                                   .task = data.labels.task,
                                   .label_names = data.labels.names,
                                   .scaler = run.report.scaler,
                                   .training = {}});
}

Parts parts_of(const Dataset& data, const data::Split& split) {
  return {labelled(data.labels, data::nodes_with_role(split, data::Role::train)),
          data::nodes_with_role(split, data::Role::validation)};
}

/// A baseline for graphs that can be saved: fits it, turns it into a model, and predicts with that.
void run_linear_model(const KeptBaseline& baseline, const Config& config, const Dataset& data, const FitHooks& hooks,
                      Run& run) {
  const Parts parts = parts_of(data, run.split);
  FeatureMap map = FeatureMap::fit(data, config.split, run.split);
  data::Features features = map.apply(data);
  if (baseline.is_for_molecules && !data.graphs->are_molecules)
    throw UsageError(fmt::format("model: \"{}\" is for molecules, but the data has none", baseline.name));
  LinearModel linear = baseline.fit_graphs(data, features, parts, [&hooks] { return hooks.is_over(); });
  keep(config, data,
       {.blocks = blocks_of(linear),
        .set = [&](nn::Model& model) { set_weights(linear, target_of(data.labels), run.report.scaler, model); },
        .map = std::move(map),
        .features = std::move(features),
        .descriptors = std::move(linear.descriptors),
        .columns = std::move(linear.columns)},
       run);
  run.trained->data.descriptors = std::move(linear.described);
}

/// The features of edges whose names end so.
std::vector<Eigen::Index> columns_ending(std::string_view end, const FeatureMap& map, const Dataset& data) {
  std::vector<Eigen::Index> columns;
  for (const FeatureColumns& column : map.own_names(data))
    if (column.name.ends_with(end)) columns.push_back(column.first);
  return columns;
}

/// Trees that predict from node features, or from statistics over the nodes of a graph. Their predictions are the
/// features of a model that passes them through. Few bins and a high learning rate: on wide sparse features this is
/// three times as fast and just as good (docs/benchmarks/accuracy.md, "Trees on nodes and graphs"). The maximum number
/// of entries takes a quarter of a minute.
void run_trees(FeatureTrees::Rows rows, const Config& config, const Dataset& data, const FitHooks& hooks, Run& run) {
  const Parts parts = parts_of(data, run.split);
  FeatureMap map = FeatureMap::fit(data, config.split, run.split);
  if (map.kind() == FeatureMap::Kind::identity)
    throw UsageError(fmt::format("model: \"{}\" needs features of the nodes, but there are none", config.model.name()));
  if (rows == FeatureTrees::Rows::neighbours && !data.reading.edge_features.empty()) rows = FeatureTrees::Rows::edges;
  const SparseMatrix inputs = tree_rows(data, map.apply(data), rows);
  TreeMap trees = fit_boosted_trees(
      inputs, data.labels, parts.train, parts.validation,
      {.max_entries = 1'000'000'000, .learning_rate = 0.1, .bins = 32, .should_stop = [&] { return hooks.is_over(); }});
  const auto outputs = static_cast<Eigen::Index>(trees.outputs());
  map.set_trees({std::move(trees), rows});
  data::Features features = map.tree_outputs(data, inputs);
  const Scaling scaling(target_of(data.labels), run.report.scaler, outputs);
  const auto set = [&](nn::Model& model) {
    model.parameters().at(0)->value = Eigen::MatrixXd(scaling.scale.asDiagonal()).cast<float>();
    model.parameters().at(1)->value = scaling.bias.cast<float>();
  };
  json::Array blocks = {json::Object{{"type", "linear"}, {"width", "outputs"}}};
  if (data.graphs)  // all nodes of a graph have the same prediction
    blocks.insert(blocks.begin(), json::Object{{"type", "readout"}, {"kind", "max"}});
  keep(config, data,
       {.blocks = json::Object{{"blocks", std::move(blocks)}},
        .set = set,
        .map = std::move(map),
        .features = std::move(features)},
       run);
}

/// A linear model of the sum of the biases of both ends, or of this and their factors, one for each label that has such
/// a sum.
void run_edge_sums(std::string_view sums, const Config& config, const Dataset& data, Run& run) {
  if (!data.edges)
    throw UsageError(fmt::format("model: \"{}\" is for labels of edges ({})", config.model.name(),
                                 setting("data.edge_label")));
  const Parts parts = parts_of(data, run.split);
  FeatureMap map = FeatureMap::fit(data, config.split, run.split);
  data::Features features = map.apply(data);
  const std::vector<Eigen::Index> columns = columns_ending(sums, map, data);
  const Matrix all = features.is_sparse ? Matrix(features.sparse) : features.dense;
  const data::Features own{.dense = all(Eigen::all, columns), .sparse = {}, .names = {}};
  const LinearBaseline fitted = fit_linear_baseline(own, data.labels, parts.train, parts.validation);
  const auto outputs = fitted.weights.cols();
  const Scaling scaling(target_of(data.labels), run.report.scaler, outputs);
  const auto set = [&](nn::Model& model) {
    Matrix& weights = model.parameters().at(0)->value;
    weights.setZero();
    const auto count = static_cast<Eigen::Index>(columns.size());
    weights(columns, Eigen::all) = (fitted.weights.topRows(count) * scaling.scale.asDiagonal()).cast<float>();
    model.parameters().at(1)->value =
        (fitted.weights.row(count).cwiseProduct(scaling.scale) + scaling.bias).cast<float>();
  };
  keep(config, data,
       {.blocks = json::Object{{"blocks", json::Array{json::Object{{"type", "linear"}, {"width", "outputs"}}}}},
        .set = set,
        .map = std::move(map),
        .features = std::move(features)},
       run);
}

/// Runs a baseline that becomes a model.
void run_kept_baseline(const Config& config, const Dataset& data, const FitHooks& hooks, Run& run) {
  const std::string name = config.model.name();
  config.model.json().allow_only({"preset"});
  if (target_of(data.labels).has_link() && !traits_of(name).learns_links)
    throw UsageError(fmt::format("model: \"{}\" fits numbers as they are; {} need a network or boosted trees", name,
                                 data.labels.task.name));
  const auto found = std::ranges::find(kKeptBaselines, name, &KeptBaseline::name);
  assert(found != kKeptBaselines.end());
  const KeptBaseline& baseline = *found;
  if (!baseline.sums_of_edges.empty()) return run_edge_sums(baseline.sums_of_edges, config, data, run);
  const std::optional<FeatureTrees::Rows> trees = data.graphs ? baseline.trees_of_graphs : baseline.trees_of_nodes;
  if (trees) return run_trees(*trees, config, data, hooks, run);
  if (!data.graphs)
    throw UsageError(fmt::format("model: \"{}\" is for graphs, but the data has labels of nodes", name));
  run_linear_model(baseline, config, data, hooks, run);
}

/// Notes about settings that do not apply to baselines.
void add_notes(const Config& config, Run& run) {
  const std::string name = config.model.name();
  if (!config.data.row_weight.empty() && !traits_of(name).weighs_rows)
    run.notes.push_back(fmt::format("row_weight: {} takes all rows alike", name));
  if (config.ensemble > 1) run.notes.push_back(fmt::format("ensemble: {} is one model", name));
  if (config.training.label_input > 0)
    run.notes.push_back(fmt::format("label_input: {} does not use labels of neighbours", name));
  if (config.training.consistency.passes > 0)
    run.notes.push_back(fmt::format("consistency: {} is not trained in passes", name));
  if (!config.data.edge_features.empty() && !(run.trained && run.trained->features.sees_edge_features()))
    run.notes.push_back(fmt::format("edge_features: {} does not use them", name));
  if (!run.trained && config.correct_and_smooth == Smoothing::always)
    run.notes.push_back(fmt::format("correct_and_smooth: {} leaves no model to apply it to", name));
}

}  // namespace

std::vector<std::string> unused_by_baselines(const json::Value& given) {
  constexpr std::string_view kUsed[] = {"seed", "runs", "metric", "correct_and_smooth", "negatives"};
  constexpr std::string_view kReported[] = {"ensemble", "label_input", "consistency", "from", "freeze"};
  std::vector<std::string> unused;
  for (const auto& [name, value] : given.as_object())
    if (std::ranges::count(kUsed, name) + std::ranges::count(kReported, name) == 0) unused.push_back(name);
  return unused;
}

Run run_baseline(const Config& config, const Dataset& data, data::Split split, std::int64_t index,
                 const FitHooks& hooks) {
  const Clock::time_point start = Clock::now();
  Run run;
  run.split = std::move(split);
  run.report.metric = checked_metric(config.training.metric, data.labels);
  run.report.scaler =
      target_of(data.labels).fit_scaler(data.labels, data::nodes_with_role(run.split, data::Role::train));
  if (data.links || config.model.traits().is_of_links)
    run_link_baseline(config, data, hooks, run);
  else if (config.model.has_no_model())
    run.predictions = propagate_labels(config, data, run.split);
  else
    run_kept_baseline(config, data, hooks, run);
  run.report.was_stopped = hooks.asks_to_stop();
  evaluate_parts(data.labels, run.split, run.predictions, run.report);
  if (run.trained && config.correct_and_smooth == Smoothing::always) refine_always(data, run);
  add_notes(config, run);
  run.report.seconds = seconds_since(start);
  if (run.trained) run.trained->training = training_record(config, config.training, data, index, run);
  return run;
}

}  // namespace edgewise::train
