#include "edgewise/report/train_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/report/choices.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/report/target_table.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/runs.hpp"

namespace edgewise::report {
namespace {

TargetTable targets_of(const train::RunSet& set) {
  TargetTable targets;
  for (const train::RunResult& run : set.results()) {
    targets.add_run("validation", run.validation_targets);
    targets.add_run("test", run.test_targets);
  }
  return targets;
}

/// Those of all runs; none if the model was named.
std::vector<train::Choice> choices_of(const train::RunSet& set) {
  std::vector<train::Choice> choices;
  for (const train::RunResult& run : set.results())
    if (run.choice) choices.push_back(*run.choice);
  return choices.size() == set.size() ? choices : std::vector<train::Choice>{};
}

/// Which of several runs made the model that is kept, and why that one: "run 3 of 4 is kept: ...".
std::string kept_run_text(const train::RunSet& set) {
  const train::Report& report = set.best().report;
  const std::string run = fmt::format("run {} of {} is kept", set.best_index() + 1, set.size());
  const double value = report.validation.empty() ? std::nan("") : train::metric(report.validation, report.metric);
  if (std::isnan(value)) return run + ", the first: nothing says which is the best";
  return fmt::format(
      "{} for its {} on the validation items, {}, the best of the runs; its test figures are those of one run, not the "
      "mean",
      run, report.metric, format_metric(value));
}

json::Value summaries_of(const train::TrainedRuns& runs, train::Metrics train::Report::*part) {
  std::vector<train::Metrics> metrics;
  for (const train::RunResult& run : runs.set.results()) metrics.push_back(run.report.*part);
  return train::to_json(train::summarise(metrics));
}

std::string name_of_model(const train::Config& config, const train::TrainedRuns& runs) {
  const train::Run& best = runs.set.best();
  if (best.choice) return best.choice->chosen;
  return best.trained ? model_of(*best.trained).name() : config.model.name();
}

void add_epochs(const train::RunSet& set, json::Value& object) {
  std::int64_t epochs = 0;
  json::Array epochs_by_run;
  json::Array best_epochs;
  std::vector<double> epoch_ms;
  double seconds = 0;
  for (const train::RunResult& run : set.results()) {
    const train::Report& report = run.report;
    epochs += report.epochs;
    seconds += report.seconds;
    epochs_by_run.emplace_back(report.epochs);
    best_epochs.emplace_back(report.best_epoch);
    epoch_ms.push_back(report.epoch_ms);
  }
  object.set("epochs", epochs);
  object.set("epochs_by_run", std::move(epochs_by_run));
  object.set("best_epochs", std::move(best_epochs));
  object.set("epoch_ms", train::median(std::move(epoch_ms)));
  object.set("seconds", seconds);
}

}  // namespace

std::optional<std::int64_t> ensemble_size(const train::Run& run) {
  std::optional<std::int64_t> fewest;
  if (!run.trained) return fewest;
  for (const train::TrainedModel* kind : train::components_of(*run.trained)) {
    if (model_of(*kind).is_baseline()) continue;
    const auto models = static_cast<std::int64_t>(kind->other_members.size()) + 1;
    fewest = std::min(fewest.value_or(models), models);
  }
  return fewest;
}

json::Value train_result(const train::Config& config, const train::Dataset& data, const train::TrainedRuns& runs) {
  json::Value object;
  object.set("schema", kTrainSchema);
  object.set("dataset", data.name);
  object.set("model", name_of_model(config, runs));
  object.set("runs", static_cast<std::int64_t>(runs.set.size()));
  object.set("kept_run", static_cast<std::int64_t>(runs.set.best_index()));
  object.set("seed", config.training.seed);
  object.set("threads", threads());
  object.set("metric", runs.set.results().front().report.metric);
  object.set("test", summaries_of(runs, &train::Report::test));
  object.set("validation", summaries_of(runs, &train::Report::validation));
  object.set("train", summaries_of(runs, &train::Report::train));
  const TargetTable targets = targets_of(runs.set);
  if (!targets.empty()) object.set("targets", targets.to_json());
  add_epochs(runs.set, object);
  object.set("peak_rss_mib", peak_rss_mib());
  object.set("parameters", static_cast<std::int64_t>(runs.set.best().parameters));
  object.set("ensemble", ensemble_size(runs.set.best()).value_or(1));
  if (data.graphs) object.set("graphs", static_cast<std::int64_t>(data.items().size()));
  object.set(data.pairs ? "pairs" : "nodes", static_cast<std::int64_t>(data.node_count()));
  if (!data.pairs) object.set("edges", static_cast<std::int64_t>(data.edge_count()));
  object.set("features", static_cast<std::int64_t>(runs.set.best().inputs));
  if (!runs.set.best().order.empty()) object.set("reorder", runs.set.best().order);
  if (const auto choices = choices_of(runs.set); !choices.empty())
    object.set("choice", choices_json(choices, runs.set.best_index()));
  object.set("interrupted", runs.was_stopped);
  object.set("config", train::to_json(config));
  return object;
}

std::string train_text(const train::Dataset& data, const train::TrainedRuns& runs, const json::Value& object) {
  std::string text = fmt::format("{} on {}: {}, {}, {:.1f} s, {:.0f} MiB\n", object.at("model").as_string(),
                                 data.name, counted(runs.set.best().parameters, "parameter"),
                                 counted(runs.set.size(), "run"), object.at("seconds").as_number(), peak_rss_mib());
  if (const auto choices = choices_of(runs.set); !choices.empty())
    text += choices_text(choices, runs.set.best_index()) + "\n\n";
  text += fmt::format("{:<20}{:>20}{:>20}", "", "validation", "test");
  for (const auto& [name, summary] : object.at("test").as_object()) {
    const json::Value* validation = object.at("validation").find(name);
    text += fmt::format("\n{:<20}{:>20}{:>20}", name, validation != nullptr ? format_summary(*validation) : "",
                        format_summary(summary));
  }
  if (const TargetTable targets = targets_of(runs.set); !targets.empty()) text += "\n\n" + targets.to_text();
  if (runs.set.size() > 1 && runs.set.best().trained) text += "\n" + kept_run_text(runs.set);
  return text;
}

}  // namespace edgewise::report
