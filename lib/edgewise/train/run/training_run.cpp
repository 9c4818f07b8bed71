#include "edgewise/train/run/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/link_readout.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/inputs/label_input.hpp"
#include "edgewise/train/inputs/link_batches.hpp"
#include "edgewise/train/inputs/model_shape.hpp"
#include "edgewise/train/inputs/pair_limits.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/loop/sampling.hpp"
#include "edgewise/train/run/consistency.hpp"
#include "edgewise/train/run/refine_run.hpp"
#include "edgewise/train/run/run_record.hpp"
#include "edgewise/train/run/transfer.hpp"
#include "edgewise/train/source/excluded_columns.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

constexpr double kLayers = 2;  // assumed number of layers when weighing the cost of an order

/// A lower bound on how often training reads rows along all edges: two layers, each forward and twice backward (for the
/// destinations and for the sources), over the epochs it takes to run out of patience.
double gathers_of(const TrainOptions& options) {
  const std::int64_t patience = options.stopping.patience * options.evaluate_every;
  const std::int64_t epochs = patience > 0 ? std::min(options.epochs, patience) : options.epochs;
  return kLayers * 3 * static_cast<double>(epochs);
}

/// Whether one of the blocks appends the numbers of links.
bool sees_link_numbers(const json::Value& blocks) {
  if (blocks.is_array()) return std::ranges::any_of(blocks.as_array(), sees_link_numbers);
  if (!blocks.is_object()) return false;
  return std::ranges::any_of(blocks.as_object(), [](const auto& member) {
    return (member.first == "set" && member.second == json::Value(nn::kLinkNumbers)) ||
           sees_link_numbers(member.second);
  });
}

/// Seeds of the models of an ensemble; the first is the seed of the run.
std::uint64_t member_seed(std::uint64_t seed, std::int64_t member) {
  return seed + 1'000'000 * static_cast<std::uint64_t>(member);
}

/// The report of a run is that of its first model, with the epochs and time of all.
void add_report(const Report& report, Report& total) {
  if (total.epochs == 0) {
    total = report;
    return;
  }
  total.epochs += report.epochs;
  total.seconds += report.seconds;
  total.was_stopped = report.was_stopped;
  total.is_out_of_time = report.is_out_of_time;
}

/// Notes masks that say nothing on this data: along edges where there are none, by the order of nodes of one graph.
std::vector<std::string> notes_on_masks(const nn::Model& model, const Dataset& data) {
  std::vector<std::string> notes;
  for (const nn::MaskShape& shape : model.masks_by_rule()) {
    const graph::MaskRule& rule = *graph::parse_mask(shape.name).rule;
    if (rule.needs_edges && data.collection && data.graph.edge_count() == 0)
      notes.push_back(
          fmt::format("the data has no edges, so with the mask \"{}\" a node sees at most itself; "
                      "{} band:2 shows it the nodes nearby",
                      shape.name, setting("model.mask")));
    const bool follows_order = (rule.is_ordered && shape.name != "complete") || rule.name == "star";
    if (follows_order && !data.has_many_graphs())
      notes.push_back(fmt::format("the mask \"{}\" follows the order of the nodes in the table, not the edges",
                                  shape.name));
  }
  return notes;
}

FeatureMap fit_features(const Config& config, const Dataset& data, const data::Split& split,
                        const TrainedModel* source) {
  if (config.inputs == Inputs::identity) return FeatureMap::identity(data);
  FeatureMap map = FeatureMap::fit(data, config.split, split, config.inputs == Inputs::words);
  if (source == nullptr || map.kind() == FeatureMap::Kind::ready) return map;
  return features_from(*source, std::move(map), excluded_columns(data, config.split));
}

/// Appends the known labels of the training nodes to the features if they are input.
MaskedLabels add_known_labels(const Dataset& data, const data::Split& split, TrainOptions& options,
                              data::Features& features) {
  options.label_input = std::max(options.label_input, 0.0);
  if (options.label_input == 0) return {};
  if (data.frozen)
    throw UsageError(fmt::format(
        "training.label_input: {} is frozen with its features, to which labels cannot be added", data.name));
  if (data.has_many_graphs())
    throw UsageError(fmt::format("training.label_input: is for the nodes of one graph; {} has many graphs", data.name));
  std::vector<graph::Node> known = labelled(data.labels, data::nodes_with_role(split, data::Role::train));
  append_labels(data.labels, target_of(data.labels).fit_scaler(data.labels, known), known, features);
  return {.columns = label_columns(data.labels.task, data.labels.names.size()),
          .share = options.label_input,
          .known = std::move(known)};
}

}  // namespace

nn::Model make_fitting_model(const json::Value& config, const nn::ModelShape& shape, std::uint64_t seed) {
  constexpr std::uint64_t kCopies = 6;  // values, gradients, two moments, the best weights, an average
  const std::uint64_t most = available_memory() / (kCopies * sizeof(float));
  try {
    return nn::Model(config, shape, seed, most);
  } catch (const ModelError& error) {
    throw UsageError(
        fmt::format("model: does not fit in memory, which has room for {} numbers: {}", most, error.what()));
  }
}

TrainingRun::TrainingRun(const Config& config, const Dataset& data, data::Split split, std::int64_t index,
                         const FitHooks& hooks)
    : config_(config), data_(data), split_(std::move(split)), index_(index), hooks_(hooks), options_(config.training) {
  if (config.from.empty()) return;
  source_ = data.start.path == config.from ? data.start.model : load_source(config.from);
}

Run TrainingRun::run() {
  prepare_inputs();
  prepare_graph();
  train_members();
  if (!is_pretraining(data_.reading)) measure();
  keep();
  if (config_.correct_and_smooth == Smoothing::always && run_.predictions.size() > 0) refine();
  return std::move(run_);
}

/// A model that is trained is not lost because of what comes after.
void TrainingRun::refine() try {
  refine_always(data_, run_);
} catch (const Interrupted&) {
  run_.report.was_stopped = true;
  run_.notes.emplace_back("stopped during Correct and Smooth: the model is kept without it");
}

void TrainingRun::prepare_inputs() {
  report_step("preparing the features");
  map_ = fit_features(config_, data_, split_, source_.get());
  run_.notes = map_.notes();
  descriptor_map_ = DescriptorMap::fit(data_, data::nodes_with_role(split_, data::Role::train));
  if (source_) descriptor_map_ = descriptors_from(*source_, std::move(descriptor_map_));
  descriptors_ = descriptor_map_.apply(data_);
  run_.notes.insert(run_.notes.end(), descriptor_map_.notes().begin(), descriptor_map_.notes().end());
  features_ = map_.apply(data_, source_ ? &run_.notes : nullptr);
  if (source_ && options_.label_input < 0 && source_->label_names == data_.labels.names)
    options_.label_input = source_->label_input;
  labels_ = add_known_labels(data_, split_, options_, features_);
  resolve_consistency(config_, data_, options_);
  run_.inputs = features_.columns();
}

void TrainingRun::prepare_graph() {
  model_config_ = blocks_for(config_.model, data_, features_);
  report_step("building the graph");
  frozen_ = freeze(data_, nn::graph_options_of(model_config_));
  if (!hooks_.resume.empty() && options_.reorder == "auto") options_.reorder = read_checkpoint_order(hooks_.resume);
  const double gathers = gathers_of(options_) * static_cast<double>(config_.ensemble);
  report_step("looking for an order of the nodes");
  NodeOrder order = reorder(data_, options_.reorder, gathers, frozen_, features_);
  if (!order.note.empty()) run_.notes.push_back(order.note);
  options_.reorder = run_.order = order.name;
  prepare_batches(std::move(order));
}

void TrainingRun::prepare_batches(NodeOrder order) {
  if (data_.links) {
    auto batches =
        std::make_unique<LinkBatches>(data_, features_, frozen_, split_, link_features(data_, map_, features_));
    batches->set_negatives(options_.negatives, [&](const std::string& line) { run_.notes.push_back(line); });
    if (!options_.sample.empty())
      batches->set_sampling(read_sampling(options_.sample, options_.replace, options_.batch_size));
    std::vector<std::string> numbers;
    if (sees_link_numbers(nn::expand_model(model_config_))) numbers = batches->seen().number_names();
    // Each epoch draws pairs anew, and their PageRank takes longer than all else but adds nothing to the other numbers.
    std::erase_if(numbers, [](const std::string& name) { return name.ends_with("personalised_pagerank"); });
    links_ = batches->fit_numbers(std::move(numbers), options_.seed);
    batches_ = std::move(batches);
    return;
  }
  batches_ =
      options_.sample.empty()
          ? make_batches(data_, features_, frozen_, options_.batch_size, std::move(order.nodes), labels_, &descriptors_)
          : make_sampled_batches(data_, features_, frozen_, model_config_, options_, std::move(order.nodes), labels_);
}

nn::Model TrainingRun::make_member(std::int64_t member) {
  nn::ModelShape shape = shape_of(data_, features_, frozen_, descriptors_, links_ ? links_->columns() : 0);
  shape.outputs *= target_of(data_.labels).outputs_of_name(loss_options(options_));
  nn::Model model = make_fitting_model(model_config_, shape, options_.seed);
  if (source_) {
    const std::string taken =
        take_weights(*source_, config_.from, static_cast<std::size_t>(member), data_.labels, config_.freeze, model);
    if (member == 0) run_.notes.push_back(taken);
  }
  if (!options_.sample.empty())
    check_sampling(read_sampling(options_.sample, options_.replace, options_.batch_size), model);
  check_pairs(model, data_, frozen_);
  if (member == 0) {
    if (!config_.data.edge_features.empty() && !model.uses_edge_features())
      run_.notes.push_back(fmt::format("edge_features: {} does not use them", config_.model.name()));
    std::ranges::copy(notes_on_masks(model, data_), std::back_inserter(run_.notes));
  }
  return model;
}

void TrainingRun::train_members() {
  const std::uint64_t seed = config_.training.seed + static_cast<std::uint64_t>(index_);
  for (std::int64_t member = 0; member < config_.ensemble && !run_.report.was_stopped && !run_.report.is_out_of_time;
       ++member) {
    options_.seed = member_seed(seed, member);
    nn::Model model = make_member(member);
    const Report report = fit(model, *batches_, data_.labels, split_, options_, hooks_);
    if (!is_pretraining(data_.reading)) {
      Matrix deviations;
      const Matrix predictions = predict(model, *batches_, data_.labels.task, report.scaler, &deviations);
      ensemble_.add(predictions, deviations);
    }
    run_.parameters += model.parameter_count();
    add_report(report, run_.report);
    members_.push_back(std::move(model));
  }
  if (run_.report.is_out_of_time)
    run_.notes.push_back(fmt::format("the budget ended after {}; a larger {} trains to the end",
                                     counted(static_cast<std::size_t>(run_.report.epochs), "epoch"),
                                     setting("training.budget")));
}

void TrainingRun::measure() {
  run_.predictions = ensemble_.mean();
  run_.deviations = ensemble_.deviation();
  if (config_.ensemble > 1) evaluate_parts(data_.labels, split_, run_.predictions, run_.report);
}

/// Keeps the model with everything needed to use it again.
void TrainingRun::keep() {
  run_.split = std::move(split_);
  nn::Model first = std::move(members_.front());
  members_.erase(members_.begin());
  run_.trained.emplace(TrainedModel{.model = std::move(first),
                                    .other_members = std::move(members_),
                                    .data = data_.reading,
                                    .split = config_.split,
                                    .features = std::move(map_),
                                    .descriptors = std::move(descriptor_map_),
                                    .task = data_.labels.task,
                                    .label_names = data_.labels.names,
                                    .scaler = run_.report.scaler,
                                    .label_input = options_.label_input,
                                    .training = training_record(config_, options_, data_, index_, run_),
                                    .links = std::move(links_)});
}

}  // namespace edgewise::train
