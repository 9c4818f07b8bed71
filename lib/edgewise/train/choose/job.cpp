#include "edgewise/train/choose/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/standard_scale.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/core/version.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/graph/duplicate_edges.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/concat_set.hpp"
#include "edgewise/nn/reach.hpp"
#include "edgewise/train/choose/choice_plan.hpp"
#include "edgewise/train/choose/choose.hpp"
#include "edgewise/train/config/budget.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/model/refinement.hpp"
#include "edgewise/train/run/baselines.hpp"
#include "edgewise/train/run/consistency.hpp"
#include "edgewise/train/run/training_run.hpp"
#include "edgewise/train/source/graph_job_data.hpp"
#include "edgewise/train/source/masked_atoms.hpp"
#include "edgewise/train/source/repeats.hpp"

namespace edgewise::train {
namespace {

bool has_paths(const JobData& data) { return data.graphs && data.graphs->paths.maximum > 0; }

/// Offsets of the graphs in JobData::graph; a single range if it is one graph.
std::vector<graph::Node> offsets_of(const JobData& data) {
  if (data.graphs) return data.graphs->offsets;
  if (data.collection) return data.collection->offsets;
  return {0, static_cast<graph::Node>(data.graph.node_count())};
}

/// Throws UsageError unless the nodes of one graph can be their own features.
void check_identity(const Config& config, const JobData& data) {
  if (data.has_many_graphs())
    throw UsageError(fmt::format("training.inputs: identity is for the nodes of one graph; {} has many graphs",
                                 data.name));
  if (!config.from.empty())
    throw UsageError("training.inputs: identity: a model of other features cannot be started from (training.from)");
  if (is_baseline(config.model) && !has_no_model(config.model))
    throw UsageError(fmt::format("training.inputs: \"{}\" needs the features of the nodes", model_name(config.model)));
}

/// Throws UsageError for a choice of models, and for a baseline, which would leave no layers to start from.
void check_pretrained_model(const Config& config) {
  if (is_choice(config.model)) throw UsageError("model: masked_atoms trains one model: say which");
  if (is_baseline(config.model))
    throw UsageError(fmt::format("model: masked_atoms trains layers that another training starts from, and \"{}\" has "
                                 "none; name a model of layers, such as gatv2",
                                 model_name(config.model)));
}

/// Throws UsageError for an automatic choice or a baseline if a single network is required, and as `check_steps` does.
void check_model(const Config& config, const JobData& data) {
  const bool is_choice_of_models = is_choice(config.model);
  if (!config.from.empty() && (is_choice_of_models || is_baseline(config.model)))
    throw UsageError(fmt::format("training.from: starts from the weights of one model; \"{}\" is {}",
                                 model_name(config.model), is_choice_of_models ? "a choice" : "a baseline"));
  if (config.inputs == "identity") check_identity(config, data);
  if (is_pretraining(data.config)) check_pretrained_model(config);
  check_steps(config, data);
}

/// A note on each part of the split in which only one class is known.
std::vector<std::string> notes_on_parts(const JobData& data, const data::Split& split) {
  std::vector<std::string> notes;
  if (data.labels.task != data::Task::classification || is_pretraining(data.config)) return notes;
  for (const data::Role role : {data::Role::train, data::Role::validation, data::Role::test}) {
    const std::vector<graph::Node> items = labelled(data.labels, data::nodes_with_role(split, role));
    std::set<std::int32_t> classes;
    for (const graph::Node item : items) classes.insert(data.labels.classes[item]);
    if (classes.size() == 1)
      notes.push_back(fmt::format("the {} part has {} of only one class, \"{}\"", data::role_name(role),
                                  counted(items.size(), "item"),
                                  data.labels.names[static_cast<std::size_t>(*classes.begin())]));
  }
  return notes;
}

/// A note if no item measures how good the model is.
std::vector<std::string> notes_on_measures(const JobData& data, const data::Split& split) {
  const auto has_items = [&](data::Role role) {
    return !labelled(data.labels, data::nodes_with_role(split, role)).empty();
  };
  if (is_pretraining(data.config) || has_items(data::Role::validation) || has_items(data::Role::test)) return {};
  return {"no item is held out for validation or test, so nothing says how good the model is"};
}

/// Whether each column matters: half of a few measurements says little, while many words say much the same.
bool has_few_columns(const data::Features& features) {
  constexpr std::size_t kFewColumns = 32;
  return !features.is_sparse && features.columns() <= kFewColumns;
}

/// Adds notes on what the metrics alone do not show.
void add_remarks(const JobData& data, Run& run) {
  if (is_pretraining(data.config) || run.predictions.size() == 0) return;
  std::vector<graph::Node> evaluated = data::nodes_with_role(run.split, data::Role::validation);
  std::ranges::copy(data::nodes_with_role(run.split, data::Role::test), std::back_inserter(evaluated));
  std::erase_if(evaluated, [&](graph::Node item) { return std::isnan(run.predictions(item, 0)); });
  const std::vector<std::string> names = never_predicted(data.labels, run.predictions, evaluated);
  if (names.empty()) return;
  run.notes.push_back(
      fmt::format("in the data, but never predicted: {}; --class-weights balanced may help, and roc_auc and "
                  "average_precision measure how well they are ranked",
                  first_of(names)));
}

struct LargestGraph {
  std::uint64_t nodes = 0;
  std::string where;  ///< "FILE:LINE: " of a graph of a collection.
};

LargestGraph largest_graph(const JobData& data) {
  const std::vector<graph::Node> offsets = offsets_of(data);
  LargestGraph largest;
  graph::Node first = 0;
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    if (offsets[g + 1] - offsets[g] <= largest.nodes) continue;
    largest.nodes = offsets[g + 1] - offsets[g];
    first = offsets[g];
  }
  if (data.collection) largest.where = to_string(data.node_table().where(first)) + ": ";
  return largest;
}

/// Graphs are computed whole: throws UsageError if the rows of the largest do not fit in memory.
void check_rows(const nn::Model& model, const JobData& data, const LargestGraph& largest) {
  if (!data.has_many_graphs()) return;
  const double bytes = static_cast<double>(largest.nodes) * static_cast<double>(model.row_numbers() * sizeof(float));
  if (bytes <= static_cast<double>(available_memory())) return;
  throw UsageError(
      fmt::format("{}model: the {} nodes of the largest graph would take at least {:.0f} GiB, more than there is; "
                  "divide the graph, or use a smaller model",
                  largest.where, largest.nodes, std::floor(bytes / (1 << 30))));
}

/// What a mask would create for the largest graph, and how much memory it has.
struct Pairs {
  double count = 0;
  double most = 0;  ///< That fit in memory.
  double bytes = 0;
};

/// Per pair: its entries in the rows of both directions, its features, and its weight and gradient, for pairs that do
/// not follow edges in several heads.
Pairs pairs_of(const nn::MaskShape& shape, const JobData& data, const graph::FrozenGraph& frozen,
               std::uint64_t nodes) {
  const graph::Mask mask = graph::parse_mask(shape.name);
  const double bytes_of_pair =
      (mask.rule->needs_edges ? 32 : 64) + static_cast<double>(sizeof(float)) * shape.features;
  Pairs pairs{.most = static_cast<double>(available_memory()) / bytes_of_pair};
  if (!mask.rule->needs_edges) {
    pairs.count = mask.slots(nodes);
  } else if (mask.rule->slots_along != nullptr) {
    const std::vector<graph::Node> offsets = offsets_of(data);
    pairs.count = mask.rule->slots_along({.edges = frozen, .offsets = offsets}, mask.parameters, pairs.most);
  }
  pairs.bytes = pairs.count * bytes_of_pair;
  return pairs;
}

/// "all pairs of the 400 nodes", "at least 1200 pairs of the 400 nodes", "1200 pairs of edges".
std::string describe(const Pairs& pairs, const graph::MaskRule& rule, std::uint64_t nodes) {
  const auto size = static_cast<double>(nodes);
  const std::string count = pairs.count == size * size ? "all"
                            : rule.name == "k_hop"     ? fmt::format("at least {:.0f}", pairs.count)
                                                       : fmt::format("{:.0f}", pairs.count);
  return rule.rows == graph::MaskRows::edges ? fmt::format("{} pairs of edges", count)
                                             : fmt::format("{} pairs of the {} nodes", count, nodes);
}

/// What to use instead of a mask that does not fit in memory.
std::string_view alternative_to(const graph::MaskRule& rule, const JobData& data) {
  if (rule.name == "k_hop") return "use fewer hops, or a model that attends along edges";
  return data.graph.edge_count() > 0 ? "use a model that attends along edges"
                                     : "use a model that attends to nodes nearby, such as --mask band:8";
}

/// The time for one run.
std::chrono::steady_clock::duration share_of_budget(const Config& config) {
  constexpr double kMostSeconds = 1e9;  // more would overflow the clock
  const double seconds = seconds_of_budget("training.budget", config.budget) / static_cast<double>(config.runs);
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(std::min(seconds, kMostSeconds)));
}

}  // namespace

void record_metrics(const Report& report, json::Value& record) {
  record.set("validation", to_json(report.validation));
  record.set("test", to_json(report.test));
}

void take_refinement(const data::Labels& labels, RefinedPredictions refined, Run& run) {
  run.predictions = std::move(refined.predictions);
  run.trained->refinement = std::move(refined.refinement);
  evaluate_parts(labels, run.split, run.predictions, run.report);
  record_metrics(run.report, run.trained->training);
}

void check_steps(const Config& config, const JobData& data) {
  check_refinement(config, data);
  check_consistency(config.training, data);
}

void refine_always(const JobData& data, Run& run) {
  if (auto refined = best_refinement(data, run.split, run.predictions, run.report.metric))
    take_refinement(data.labels, std::move(*refined), run);
}

json::Value training_record(const Config& config, const TrainOptions& in_force, const JobData& data, std::int64_t index,
                            const Run& run) {
  TrainOptions options = config.training;
  options.reorder = run.order;
  options.label_input = in_force.label_input;
  options.consistency = in_force.consistency;
  json::Value record;
  record.set("version", kVersion);
  record.set("seed", config.training.seed + static_cast<std::uint64_t>(index));
  record.set("run", index);
  record.set("runs", config.runs);
  record.set("split_mark", mark_of(data.items(), run.split));
  if (has_positive_class(data.labels))
    record.set("positive_class", data.labels.names[static_cast<std::size_t>(positive_class(data.labels))]);
  record.set("model", config.model);
  record.set("options", to_json(options));
  if (!config.from.empty()) record.set("from", config.from);
  record.set("epochs", run.report.epochs);
  record.set("best_epoch", run.report.best_epoch);
  record_metrics(run.report, record);
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

json::Value complete_model(const json::Value& model, const JobData& data, const data::Features& features) {
  json::Value completed = model;
  const bool is_preset = completed.find("preset") != nullptr;
  const bool has_dropout = completed.find("dropout") != nullptr || completed.find("input_dropout") != nullptr;
  if (is_preset && !has_dropout && !data.graphs && !data.collection && has_few_columns(features))
    completed.set("input_dropout", 0);
  if (data.graphs && is_preset && completed.find("readout") == nullptr) completed.set("readout", "mean");
  if (!data.config.descriptors.empty() && is_preset && completed.find("descriptors") == nullptr)
    completed.set("descriptors", true);
  const bool is_window = model_name(completed) == "window" || model_name(completed) == "convolution";
  if (is_window && completed.find("mask") == nullptr && data.collection && data.collection->grid_columns > 0)
    completed.set("mask", "grid:3x3+offset");
  if (data.graph.edges().weights.empty()) return completed;
  const json::Value* given = completed.find("graph");
  json::Value options = given != nullptr ? *given : json::Value(json::Object{});
  if (options.find("weight_as_feature") == nullptr) {
    options.set("weight_as_feature", true);
    const StandardScale scale = StandardScale::fit(
        data.config.combining() ? graph::weights_in_use(data.graph) : data.graph.edges().weights);
    if (!nn::has_anywhere(completed, "edge_weights", true))  // for a block that uses the weight itself
      options.set("weight_scale", json::Object{{"mean", scale.mean}, {"scale", scale.scale}});
  }
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
  if (!data.has_many_graphs())
    return std::make_unique<NodeBatches>(features, frozen, std::move(order), GraphLayout{}, labels);
  return std::make_unique<GraphBatches>(features, graph::GraphUnion{frozen, offsets_of(data)},
                                        graph_batch_options(data, batch_size, descriptors));
}

void check_pairs(const nn::Model& model, const JobData& data, const graph::FrozenGraph& frozen) {
  const LargestGraph largest = largest_graph(data);
  check_rows(model, data, largest);
  for (const nn::MaskShape& shape : model.masks()) {
    const Pairs pairs = pairs_of(shape, data, frozen, largest.nodes);
    if (pairs.count <= pairs.most) continue;
    const graph::MaskRule& rule = *graph::parse_mask(shape.name).rule;
    throw UsageError(fmt::format(
        "{}model: attention between {} of the largest graph (\"{}\") would take at least {:.0f} GiB, more than there "
        "is; {}",
        largest.where, describe(pairs, rule, largest.nodes), shape.name, std::floor(pairs.bytes / (1 << 30)),
        alternative_to(rule, data)));
  }
}

void check_order(const JobData& data, const std::string& name) {
  if (data.has_many_graphs() && name != "none")
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
  if (!config.budget.empty() && !hooks.deadline) {
    FitHooks limited = hooks;
    limited.deadline = hooks.now() + share_of_budget(config);
    return run_job(config, data, run_index, limited);
  }
  Run run = run_part(config, data, run_index, hooks);
  add_remarks(data, run);
  return run;
}

Run run_part(const Config& config, const JobData& data, std::int64_t run_index, const FitHooks& hooks) {
  check_model(config, data);
  if (is_choice(config.model)) return choose_model(config, data, run_index, hooks);
  const std::uint64_t seed = config.training.seed + static_cast<std::uint64_t>(run_index);
  check_order(data, config.training.reorder);
  data::Split split = make_split(data, config.split, seed, run_index);
  if (is_pretraining(data.config)) split = masked_split(split);
  data::check_split(split, data.labels);
  if (hooks.note)
    if (const std::string line = training_note(config, data, hooks.now); !line.empty()) hooks.note(line);
  std::vector<std::string> notes = notes_on_parts(data, split);
  std::ranges::copy(notes_on_measures(data, split), std::back_inserter(notes));
  std::ranges::copy(notes_on_shared_items(data, split), std::back_inserter(notes));
  Run run = is_baseline(config.model) ? run_baseline(config, data, std::move(split), run_index, hooks)
                                      : TrainingRun(config, data, std::move(split), run_index, hooks).run();
  run.notes.insert(run.notes.begin(), notes.begin(), notes.end());
  if (data.graphs)
    for (Matrix* rows : {&run.predictions, &run.deviations}) blank_rows(data.graphs->problems, *rows);
  return run;
}

}  // namespace edgewise::train
