#include "edgewise/train/run/average.hpp"

#include <algorithm>

#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/run/run_record.hpp"

namespace edgewise::train {
namespace {

void add_notes(const std::vector<std::string>& notes, Run& run) {
  for (const std::string& line : notes)
    if (std::ranges::count(run.notes, line) == 0) run.notes.push_back(line);
}

/// Merges the descriptors; each kind of model picks its own.
void add_descriptors(const DataConfig& config, DataConfig& all) {
  for (const std::string& name : config.descriptors)
    if (std::ranges::count(all.descriptors, name) == 0) all.descriptors.push_back(name);
}

}  // namespace

Run average(std::vector<Run> runs, const Dataset& data) {
  Ensemble ensemble, uncertainty_inputs;
  for (const Run& run : runs) {
    ensemble.add(run.predictions);
    if (run.uncertainty_inputs.size() > 0) uncertainty_inputs.add(run.uncertainty_inputs);
  }
  Run all = std::move(runs.front());
  if (runs.size() == 1) return all;
  for (auto run = runs.begin() + 1; run != runs.end(); ++run) {
    all.parameters += run->parameters;
    all.report.epochs += run->report.epochs;
    all.report.seconds += run->report.seconds;
    all.report.was_stopped = all.report.was_stopped || run->report.was_stopped;
    add_notes(run->notes, all);
    add_descriptors(run->trained->data, all.trained->data);
    all.trained->other_components.push_back(std::move(*run->trained));
  }
  all.report.best_epoch = 0;
  all.predictions = ensemble.mean();
  all.deviations = ensemble.deviation();
  all.uncertainty_inputs = uncertainty_inputs.mean();
  measure_again(data.labels, all);
  return all;
}

}  // namespace edgewise::train
