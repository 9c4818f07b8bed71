#include "edgewise/train/run/run_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/doctor/repeats.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/model/refinement.hpp"
#include "edgewise/train/run/baselines.hpp"
#include "edgewise/train/run/consistency.hpp"
#include "edgewise/train/run/pair_run.hpp"
#include "edgewise/train/run/run_record.hpp"
#include "edgewise/train/run/training_run.hpp"
#include "edgewise/train/run/work.hpp"
#include "edgewise/train/source/atom_items.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/pretraining.hpp"

namespace edgewise::train {
namespace {

/// Throws UsageError unless the nodes of one graph can be their own features.
void check_identity(const Config& config, const Dataset& data) {
  if (data.has_many_graphs())
    throw UsageError(fmt::format("training.inputs: identity is for the nodes of one graph; {} has many graphs",
                                 data.name));
  if (!config.from.empty())
    throw UsageError("training.inputs: identity: a model of other features cannot be started from (training.from)");
  if (config.model.is_baseline() && !config.model.has_no_model())
    throw UsageError(fmt::format("training.inputs: \"{}\" needs the features of the nodes", config.model.name()));
}

/// Throws UsageError where no neighbour's name can be input.
void check_words(const Config& config, const Dataset& data) {
  if (!data.kinds || data.links)
    throw UsageError(fmt::format("training.inputs: words: is for labels of several kinds of nodes; {} has {}",
                                 data.name, data.links ? "ties" : "one"));
  if (config.model.is_baseline() && !config.model.has_no_model())
    throw UsageError(fmt::format("training.inputs: words: is for networks; \"{}\" is a baseline", config.model.name()));
}

/// Throws UsageError for a choice of models, and for a baseline, which would leave no layers to start from.
void check_pretrained_model(const Config& config) {
  if (config.model.is_choice())
    throw UsageError(fmt::format("model: {} trains one model: say which", config.data.task));
  if (config.model.is_baseline())
    throw UsageError(fmt::format("model: {} trains layers to start another training from, and \"{}\" has none; name a "
                                 "neural model, such as gatv2",
                                 config.data.task, config.model.name()));
}

/// Throws UsageError for what is for labels of nodes.
void check_links_job(const Config& config) {
  if (config.training.label_input > 0)
    throw UsageError("training.label_input: is for labels of nodes; ties have none");
}

/// Throws UsageError for models that follow edges, since no edge joins two edges.
void check_edges_job(const Config& config) {
  const ModelTraits traits = config.model.traits();
  if (!config.model.is_choice() && traits.is_known && traits.uses_graph)
    throw UsageError(
        fmt::format("model: \"{}\" follows edges between nodes, and no edge joins two edges: labels of edges are "
                    "learnt by boosted_trees, mlp, edge_biases and edge_factors",
                    config.model.name()));
  if (!config.training.sample.empty() || config.training.label_input > 0 || config.inputs == Inputs::identity)
    throw UsageError(fmt::format("training.{}: is for labels of nodes; edges have them here",
                                 !config.training.sample.empty()         ? "sample"
                                 : config.inputs == Inputs::identity ? "inputs"
                                                                     : "label_input"));
}

/// A note on each part of the split in which only one class is known.
std::vector<std::string> notes_on_parts(const Dataset& data, const data::Split& split) {
  std::vector<std::string> notes;
  if (!data.labels.has_classes() || is_pretraining(data.reading)) return notes;
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

/// A note on parts that measure how good the model is, but have no item.
std::vector<std::string> notes_on_measures(const Dataset& data, const data::Split& split) {
  const auto has_items = [&](data::Role role) {
    return !labelled(data.labels, data::nodes_with_role(split, role)).empty();
  };
  const bool has_validation = has_items(data::Role::validation), has_test = has_items(data::Role::test);
  if (is_pretraining(data.reading) || has_test) return {};
  if (!has_validation) return {"no item is held out for validation or test, so nothing says how good the model is"};
  return {"the test part has no item with a known label: the figures of the validation part, by which the model is "
          "chosen, are too good"};
}

}  // namespace

Run run_model(const Config& config, const Dataset& data, std::int64_t run_index, const JobHooks& hooks) {
  check_model(config, data);
  const std::uint64_t seed = config.training.seed + static_cast<std::uint64_t>(run_index);
  check_order(data, config.training.reorder);
  std::vector<std::string> notes;
  data::Split split = make_split(data, config.split, seed, run_index, &notes);
  if (data.pairs) {
    data::check_split(split, data.labels);
    Run run = run_pairs(config, data, std::move(split), run_index, hooks);
    run.notes.insert(run.notes.begin(), notes.begin(), notes.end());
    return run;
  }
  if (is_pretraining(data.reading)) split = masked_split(split);
  data::check_split(split, data.labels);
  if (hooks.note)
    if (const std::string line = training_note(config, data, hooks.now); !line.empty()) hooks.note(line);
  std::ranges::copy(notes_on_parts(data, split), std::back_inserter(notes));
  std::ranges::copy(notes_on_measures(data, split), std::back_inserter(notes));
  std::ranges::copy(notes_on_shared_items(data, split), std::back_inserter(notes));
  std::ranges::copy(split_notes(data, config.split), std::back_inserter(notes));
  Run run = config.model.is_baseline() ? run_baseline(config, data, std::move(split), run_index, hooks)
                                      : TrainingRun(config, data, std::move(split), run_index, hooks).run();
  run.notes.insert(run.notes.begin(), notes.begin(), notes.end());
  if (data.graphs)
    for (Matrix* rows : {&run.predictions, &run.deviations}) fill_rows_with_nan(data.graphs->problems, *rows);
  if (data.atoms && !data.atoms->totals.empty() && run.predictions.size() > 0) {
    keep_totals(*data.atoms, run.predictions);
    measure_again(data.labels, run);
  }
  return run;
}

void check_model(const Config& config, const Dataset& data) {
  if (data.links) check_links_job(config);
  if (!data.links && !config.training.negatives.empty())
    throw UsageError(fmt::format("training.negatives: is for ties ({} links)", setting("data.task")));
  if (data.edges) check_edges_job(config);
  if (!config.training.sample.empty() && (data.pairs || data.has_many_graphs()))
    throw UsageError(fmt::format("training.sample: is for the nodes of one graph; {} has {}", data.name,
                                 data.pairs ? "pairs" : "many graphs"));
  if (data.pairs) return check_pairs_job(config);
  if (config.model.traits().writes)
    throw UsageError(fmt::format("model.preset: \"{}\" is for pairs ({}); {} has none", config.model.name(),
                                 setting("data.pairs"), data.name));
  const bool is_choice_of_models = config.model.is_choice();
  if (data.frozen && (is_choice_of_models || config.model.is_baseline() || config.inputs == Inputs::identity))
    throw UsageError(fmt::format("model: {} is a frozen network, for models of layers; name one, such as gatv2 ({})",
                                 data.name, setting("model.preset")));
  if (!config.from.empty() && data.frozen)
    throw UsageError(fmt::format("training.from: the features of {} are fixed, and need not be those of another model; "
                                 "leave it out",
                                 data.name));
  if (!config.from.empty() && (is_choice_of_models || config.model.is_baseline()))
    throw UsageError(fmt::format("training.from: starts from the weights of one model; \"{}\" is {}",
                                 config.model.name(), is_choice_of_models ? "a choice" : "a baseline"));
  if (config.inputs == Inputs::identity) check_identity(config, data);
  if (config.inputs == Inputs::words) check_words(config, data);
  if (is_pretraining(data.reading)) check_pretrained_model(config);
  check_steps(config, data);
}

void check_steps(const Config& config, const Dataset& data) {
  check_refinement(config, data);
  check_consistency(config.training, data);
}

}  // namespace edgewise::train
