#include "edgewise/train/jobs/job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/version.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/concat_set.hpp"
#include "edgewise/train/jobs/baselines.hpp"
#include "edgewise/train/jobs/choose.hpp"
#include "edgewise/train/jobs/known_items.hpp"
#include "edgewise/train/jobs/label_input.hpp"
#include "edgewise/train/jobs/masked_atoms.hpp"
#include "edgewise/train/jobs/transfer.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/predict.hpp"

namespace edgewise::train {
namespace {

constexpr double kLayers = 2;  // that a model is taken to have when the cost of an order is weighed

bool has_paths(const JobData& data) { return data.graphs && data.graphs->paths.maximum > 0; }

bool has_many_graphs(const JobData& data) { return data.graphs || data.collection; }

/// Of the graphs in JobData::graph; of all of it when it is one.
std::vector<graph::Node> offsets_of(const JobData& data) {
  if (data.graphs) return data.graphs->offsets;
  if (data.collection) return data.collection->offsets;
  return {0, static_cast<graph::Node>(data.graph.node_count())};
}

/// How often training reads rows along all edges, at least: two layers, each forward and twice backward (for the
/// destinations and for the sources), in as many epochs as it takes to see no progress.
double gathers_of(const TrainOptions& options) {
  const std::int64_t patience = options.stopping.patience * options.evaluate_every;
  const std::int64_t epochs = patience > 0 ? std::min(options.epochs, patience) : options.epochs;
  return kLayers * 3 * static_cast<double>(epochs);
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

/// A model that fits in memory with all that training holds of it.
nn::Model make_model(const json::Value& config, const nn::ModelShape& shape, std::uint64_t seed) {
  constexpr std::uint64_t kCopies = 6;  // values, gradients, two moments, the best so far, an average
  const std::uint64_t most = available_memory() / (kCopies * sizeof(float));
  try {
    return nn::Model(config, shape, seed, most);
  } catch (const ModelError& error) {
    throw UsageError(
        fmt::format("model: does not fit in memory, which has room for {} numbers: {}", most, error.what()));
  }
}

/// What the metrics alone do not show.
void add_remarks(const data::Labels& labels, const data::Split& split, Run& run) {
  std::vector<graph::Node> asked = data::nodes_with_role(split, data::Role::validation);
  const std::vector<graph::Node> test = data::nodes_with_role(split, data::Role::test);
  asked.insert(asked.end(), test.begin(), test.end());
  const std::vector<std::string> names = never_predicted(labels, run.predictions, asked);
  if (names.empty()) return;
  run.notes.push_back(
      fmt::format("never predicted, although there are such: {}; --class-weights balanced may help, and "
                  "roc_auc and average_precision say how well they are ranked",
                  fmt::join(names, ", ")));
}

FeatureMap fit_features(const Config& config, const JobData& data, const data::Split& split,
                        const std::optional<TrainedModel>& source) {
  const std::string split_by = split_column(data, config.split);
  FeatureMap map = FeatureMap::fit(data, data.config, split_by, data::nodes_with_role(split, data::Role::train));
  if (!source || map.kind() == FeatureMap::Kind::ready) return map;
  return features_from(*source, std::move(map), excluded_columns(data, data.config, split_by));
}

/// Puts the known labels of the training nodes behind the features where they are input.
MaskedLabels add_known_labels(const JobData& data, const data::Split& split, TrainOptions& options,
                              data::Features& features) {
  options.label_input = std::max(options.label_input, 0.0);
  if (options.label_input == 0) return {};
  if (has_many_graphs(data))
    throw UsageError(fmt::format("training.label_input: is for the nodes of one graph; {} has many graphs", data.name));
  const std::vector<graph::Node> known = labelled(data.labels, data::nodes_with_role(split, data::Role::train));
  data::TargetScaler scaler;
  if (data.labels.task == data::Task::regression) scaler = data::TargetScaler::fit(data.labels.targets, known);
  append_labels(data.labels, scaler, known, features);
  return {.columns = label_columns(data.labels.task, data.labels.names.size()), .share = options.label_input};
}

void add_member(nn::Model&& model, std::optional<nn::Model>& first, std::vector<nn::Model>& others) {
  if (first)
    others.push_back(std::move(model));
  else
    first.emplace(std::move(model));
}

void refine_always(const JobData& data, Run& run) {
  if (auto refined = best_refinement(data, run.split, run.predictions, run.report.metric))
    take_refinement(data.labels, std::move(*refined), run);
  else
    run.notes.emplace_back("correct_and_smooth is for classes of the nodes of a graph, and is left out");
}

}  // namespace

void take_refinement(const data::Labels& labels, RefinedPredictions refined, Run& run) {
  run.predictions = std::move(refined.predictions);
  run.trained->refinement = std::move(refined.refinement);
  evaluate_parts(labels, run.split, run.predictions, run.report);
}

json::Value training_record(const Config& config, const TrainOptions& in_force, const JobData& data, std::int64_t index,
                            const Run& run) {
  json::Value options = train::to_json(config.training);
  options.set("reorder", run.order);
  options.set("label_input", in_force.label_input);
  json::Value record;
  record.set("version", kVersion);
  record.set("seed", config.training.seed + static_cast<std::uint64_t>(index));
  record.set("run", index);
  record.set("split_mark", mark_of(data.items(), run.split));
  record.set("model", config.model);
  record.set("options", std::move(options));
  if (!config.from.empty()) record.set("from", config.from);
  record.set("epochs", run.report.epochs);
  record.set("best_epoch", run.report.best_epoch);
  record.set("validation", to_json(run.report.validation));
  record.set("test", to_json(run.report.test));
  return record;
}

nn::ModelShape shape_of(const JobData& data, const data::Features& features, const graph::FrozenGraph& frozen,
                        const Matrix& descriptors) {
  nn::ModelShape shape{.inputs = static_cast<int>(features.columns()),
                       .outputs = static_cast<int>(data.labels.names.size()),
                       .edge_features = static_cast<int>(frozen.edge_features.cols()),
                       .pair_features = has_paths(data) ? data.graphs->paths.maximum + 2 : 0};
  if (descriptors.cols() > 0) shape.node_sets.push_back({nn::kDescriptors, static_cast<int>(descriptors.cols())});
  return shape;
}

json::Value complete_model(const json::Value& model, const JobData& data) {
  json::Value completed = model;
  const bool is_preset = completed.find("preset") != nullptr;
  if (data.graphs && is_preset && completed.find("readout") == nullptr) completed.set("readout", "mean");
  if (!data.config.descriptors.empty() && is_preset && completed.find("descriptors") == nullptr)
    completed.set("descriptors", true);
  const bool is_window = model_name(completed) == "window" || model_name(completed) == "convolution";
  if (is_window && completed.find("mask") == nullptr && data.collection && data.collection->grid_columns > 0)
    completed.set("mask", "grid:3x3+offset");
  if (data.graph.edges().weights.empty()) return completed;
  const json::Value* given = completed.find("graph");
  json::Value options = given != nullptr ? *given : json::Value(json::Object{});
  if (options.find("weight_as_feature") == nullptr) options.set("weight_as_feature", true);
  completed.set("graph", std::move(options));
  return completed;
}

GraphLayout layout_of(const JobData& data) {
  return {.offsets = offsets_of(data), .grid_columns = data.collection ? data.collection->grid_columns : 0};
}

GraphBatchOptions graph_batch_options(const JobData& data, std::int64_t batch_size, const Matrix* descriptors) {
  GraphBatchOptions options{.batch_size = static_cast<std::size_t>(batch_size),
                            .labelled = data.graphs ? Labelled::graphs : Labelled::nodes,
                            .sign_columns = data.graphs ? data.graphs->sign_columns : 0,
                            .paths = has_paths(data) ? &data.graphs->paths : nullptr};
  if (descriptors != nullptr && descriptors->cols() > 0) options.descriptors = descriptors;
  if (is_pretraining(data.config)) {
    const std::size_t columns = data::atom_feature_names(data.config.atom_features).size();
    options.masked = {.columns = static_cast<Eigen::Index>(columns), .share = kMaskedShare};
  }
  if (data.collection) {
    options.sign_columns = data.sign_columns;
    options.grid_columns = data.collection->grid_columns;
  }
  return options;
}

std::unique_ptr<Batches> make_batches(const JobData& data, const data::Features& features,
                                      const graph::FrozenGraph& frozen, std::int64_t batch_size,
                                      std::vector<graph::Node> order, MaskedLabels labels, const Matrix* descriptors) {
  if (!has_many_graphs(data))
    return std::make_unique<NodeBatches>(features, frozen, std::move(order), GraphLayout{}, labels);
  return std::make_unique<GraphBatches>(features, graph::GraphUnion{frozen, offsets_of(data)},
                                        graph_batch_options(data, batch_size, descriptors));
}

void check_pairs(const nn::Model& model, const JobData& data) {
  const std::vector<graph::Node> offsets = offsets_of(data);
  std::uint64_t nodes = 0;
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g)
    nodes = std::max<std::uint64_t>(nodes, offsets[g + 1] - offsets[g]);
  for (const nn::MaskShape& shape : model.masks()) {
    const graph::Mask mask = graph::parse_mask(shape.name);
    if (mask.rule->needs_edges) continue;
    // Of a pair: its place in the rows of both directions, its features, and its weight and gradient in each of some
    // heads.
    const double bytes_of_pair = 64 + static_cast<double>(sizeof(float)) * shape.features;
    const double pairs = mask.slots(nodes), bytes = pairs * bytes_of_pair;
    if (bytes <= static_cast<double>(available_memory())) continue;
    const bool are_all = pairs == static_cast<double>(nodes) * static_cast<double>(nodes);
    throw UsageError(
        fmt::format("model: attention between {} pairs of the {} nodes of the largest graph (\"{}\") would take at "
                    "least {:.0f} GiB, "
                    "more than there is; take a model that attends along edges",
                    are_all ? "all" : fmt::format("{:.0f}", pairs), nodes, shape.name, std::floor(bytes / (1 << 30))));
  }
}

void check_order(const JobData& data, const std::string& name) {
  if (has_many_graphs(data) && name != "none")
    throw UsageError(
        fmt::format("training.reorder: \"{}\" is for the nodes of one graph; {} has many graphs, which "
                    "are taken in batches",
                    name, data.name));
}

NodeOrder reorder(const JobData& data, const std::string& name, double gathers, graph::FrozenGraph& frozen,
                  data::Features& features) {
  check_order(data, name);
  return reorder(name, gathers, frozen, features);
}

Run run_job(const Config& config, const JobData& data, std::int64_t run_index, const FitHooks& hooks) {
  if (!config.from.empty() && (is_choice(config.model) || is_baseline(config.model)))
    throw UsageError(fmt::format("training.from: goes on from the weights of one model; \"{}\" is {}",
                                 model_name(config.model), is_choice(config.model) ? "a choice" : "a baseline"));
  if (is_choice(config.model) && is_pretraining(data.config))
    throw UsageError("model: masked_atoms trains one model: say which");
  if (is_choice(config.model)) return choose_model(config, data, run_index, hooks);
  const std::uint64_t seed = config.training.seed + static_cast<std::uint64_t>(run_index);
  check_order(data, config.training.reorder);
  data::Split split = make_split(data, config.split, seed, run_index);
  if (is_pretraining(data.config)) split = masked_split(split);
  data::check_split(split, data.labels);
  if (is_baseline(config.model)) return run_baseline(config, data, std::move(split), run_index);

  Run run;
  std::optional<TrainedModel> source;
  if (!config.from.empty()) source = load_trained_model(config.from);
  FeatureMap map = fit_features(config, data, split, source);
  run.notes = map.notes();
  DescriptorMap descriptor_map = DescriptorMap::fit(data, data::nodes_with_role(split, data::Role::train));
  if (source) descriptor_map = descriptors_from(*source, std::move(descriptor_map));
  const Matrix descriptors = descriptor_map.apply(data);
  run.notes.insert(run.notes.end(), descriptor_map.notes().begin(), descriptor_map.notes().end());
  data::Features features = map.apply(data, source ? &run.notes : nullptr);
  TrainOptions options = config.training;
  if (source && options.label_input < 0 && source->label_names == data.labels.names)
    options.label_input = source->label_input;
  const MaskedLabels labels = add_known_labels(data, split, options, features);
  const json::Value completed = complete_model(config.model, data);
  const json::Value model_config =
      is_pretraining(data.config) ? without_readout(completed) : nn::expand_model(completed);
  graph::FrozenGraph frozen = graph::freeze(data.graph, nn::graph_options_of(model_config));
  if (!hooks.resume.empty() && options.reorder == "auto") options.reorder = read_checkpoint_order(hooks.resume);
  NodeOrder order =
      reorder(data, options.reorder, gathers_of(options) * static_cast<double>(config.ensemble), frozen, features);
  if (!order.note.empty()) run.notes.push_back(order.note);
  options.reorder = run.order = order.name;
  const std::unique_ptr<Batches> batches =
      make_batches(data, features, frozen, options.batch_size, std::move(order.nodes), labels, &descriptors);
  std::optional<nn::Model> first;
  std::vector<nn::Model> others;
  Ensemble ensemble;
  for (std::int64_t member = 0; member < config.ensemble && !run.report.was_stopped; ++member) {
    options.seed = member_seed(seed, member);
    nn::Model model = make_model(model_config, shape_of(data, features, frozen, descriptors), options.seed);
    if (source) {
      const std::string taken =
          take_weights(*source, config.from, static_cast<std::size_t>(member), data.labels, config.freeze, model);
      if (member == 0) run.notes.push_back(taken);
    }
    check_pairs(model, data);
    const Report report = fit(model, *batches, data.labels, split, options, hooks);
    if (!is_pretraining(data.config)) ensemble.add(predict(model, *batches, data.labels.task, report.scaler));
    run.parameters += model.parameter_count();
    add_report(report, run.report);
    add_member(std::move(model), first, others);
  }
  if (is_pretraining(data.config)) {
    run.report.train.clear();  // of all atoms hidden at once
  } else {
    run.predictions = ensemble.mean();
    run.deviations = ensemble.deviation();
    if (config.ensemble > 1) evaluate_parts(data.labels, split, run.predictions, run.report);
    add_remarks(data.labels, split, run);
  }
  run.inputs = features.columns();
  run.split = std::move(split);
  run.trained.emplace(TrainedModel{.model = std::move(*first),
                                   .others = std::move(others),
                                   .data = data.config,
                                   .split = config.split,
                                   .features = std::move(map),
                                   .descriptors = std::move(descriptor_map),
                                   .task = data.labels.task,
                                   .label_names = data.labels.names,
                                   .scaler = run.report.scaler,
                                   .label_input = options.label_input,
                                   .training = training_record(config, options, data, run_index, run)});
  if (config.correct_and_smooth == "always" && run.predictions.size() > 0) refine_always(data, run);
  return run;
}

}  // namespace edgewise::train
