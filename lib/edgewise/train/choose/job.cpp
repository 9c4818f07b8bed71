#include "edgewise/train/choose/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/choose/choose.hpp"
#include "edgewise/train/config/budget.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/model/model_input.hpp"
#include "edgewise/train/run/pair_run.hpp"
#include "edgewise/train/run/run_model.hpp"
#include "edgewise/train/run/run_record.hpp"

namespace edgewise::train {
namespace {

/// Adds notes on what the metrics alone do not show.
void add_remarks(const Dataset& data, Run& run) {
  if (is_pretraining(data.reading) || run.predictions.size() == 0) return;
  std::vector<graph::Node> evaluated = data::nodes_with_role(run.split, data::Role::validation);
  std::ranges::copy(data::nodes_with_role(run.split, data::Role::test), std::back_inserter(evaluated));
  std::erase_if(evaluated, [&](graph::Node item) { return std::isnan(run.predictions(item, 0)); });
  const std::vector<std::string> names = never_predicted(data.labels, run.predictions, evaluated);
  if (names.empty()) return;
  run.notes.push_back(
      fmt::format("in the data, but never predicted: {}; {} balanced may help, and roc_auc and "
                  "average_precision measure how well they are ranked",
                  first_of(names), setting("training.class_weights")));
}

/// Those of the molecules that the atoms and bonds, in ascending order, are in.
std::vector<std::string> smiles_around(const AtomItems& items, std::span<const graph::Node> nodes) {
  std::vector<std::string> smiles;
  const std::vector<graph::Node>& offsets = items.molecules.offsets;
  for (std::size_t m = 0; m + 1 < offsets.size(); ++m) {
    const auto first = std::ranges::lower_bound(nodes, offsets[m]);
    if (first != nodes.end() && *first < offsets[m + 1]) smiles.push_back(items.molecules.smiles[m]);
  }
  return smiles;
}

/// Keeps what tells whether new items are like those that the model was trained on.
void keep_applicability_domain(const Dataset& data, Run& run) {
  if (!run.trained || data.pairs || data.links || data.frozen || is_pretraining(data.reading)) return;
  const std::vector<graph::Node> items = data::nodes_with_role(run.split, data::Role::train);
  if (data.atoms) {
    run.trained->applicability_domain = ApplicabilityDomain::of_molecules(smiles_around(*data.atoms, items));
  } else if (!data.graphs) {
    run.trained->applicability_domain = ApplicabilityDomain::of_nodes(data.graph, items);
  } else if (data.graphs->are_molecules) {
    std::vector<std::string> smiles;
    for (const graph::Node item : items) smiles.push_back(data.graphs->smiles[item]);
    run.trained->applicability_domain = ApplicabilityDomain::of_molecules(smiles, data.labels.has_numbers());
  }
}

/// Calibrates the predictions of a model that is kept on the validation items.
void calibrate(const Dataset& data, Run& run) {
  if (!run.trained || data.links || run.predictions.size() == 0) return;
  const Matrix uncertainty_inputs = uncertainty_inputs_of(*run.trained, data, run.uncertainty_inputs);
  const std::vector<graph::Node> validation = data::nodes_with_role(run.split, data::Role::validation);
  run.trained->calibration =
      Calibration::fit(data.labels, run.predictions, run.deviations, validation, uncertainty_inputs);
  run.trained->calibration.apply(run.predictions, &run.deviations, uncertainty_inputs);
  if (!run.trained->calibration.changes_predictions()) return;
  measure_again(data.labels, run);
}

/// The seconds for one run.
double share_of_budget(const Config& config) {
  return seconds_of_budget("training.budget", config.budget) / static_cast<double>(config.runs);
}

}  // namespace

Run run_job(const Config& config, const Dataset& data, std::int64_t run_index, const JobHooks& hooks) {
  if (!config.budget.empty() && !hooks.deadline)
    return run_job(config, data, run_index, ending_after(share_of_budget(config), hooks.now(), hooks));
  if (data.pairs) check_pairs_job(config);
  Run run = config.model.is_choice() ? choose_model(config, data, run_index, hooks)
                                    : run_model(config, data, run_index, hooks);
  // Who has stopped a run waits.
  if (hooks.keeps_model && !run.report.was_stopped) keep_applicability_domain(data, run);
  calibrate(data, run);
  add_remarks(data, run);
  return run;
}

}  // namespace edgewise::train
