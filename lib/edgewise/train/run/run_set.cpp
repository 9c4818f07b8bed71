#include "edgewise/data/frozen_network.hpp"
#include "edgewise/train/run/run_set.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"
#include "edgewise/core/fingerprint.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/run/saved_run.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {
namespace {

/// The configuration without the number of runs, which may grow, and the time for them.
json::Value same_for_all_runs(const Config& config) {
  Config same = config;
  same.runs = 1;
  same.budget.clear();
  return to_json(same);
}

bool is_better_run(const Report& report, const Report& best) {
  if (report.validation.empty()) return false;
  return is_better(report.metric, metric(report.validation, report.metric), metric(best.validation, best.metric));
}

std::vector<TargetMetrics> targets_of(const data::Labels& labels, const Run& run, data::Role role) {
  if (labels.names.size() < 2 || run.predictions.size() == 0) return {};
  return evaluate_targets(labels, run.predictions, data::nodes_with_role(run.split, role));
}

template <class Values>
void add_values(const Values& values, Fingerprint& fingerprint) {
  const auto size = static_cast<std::size_t>(values.size());
  fingerprint.add(fmt::format("{} ", size));
  if (size > 0) fingerprint.add({reinterpret_cast<const char*>(values.data()), size * sizeof(*values.data())});
}

void add_texts(std::span<const std::string> texts, Fingerprint& fingerprint) {
  for (const std::string& text : texts) fingerprint.add(fmt::format("{} {}", text.size(), text));
}

void add_table(const io::NodeTable& table, Fingerprint& fingerprint) {
  for (const io::Column& column : table.columns) {
    add_texts({&column.name, 1}, fingerprint);
    add_values(column.numbers, fingerprint);
    add_values(column.codes, fingerprint);
    add_texts(column.categories, fingerprint);
  }
}

void add_features(const data::Features& features, Fingerprint& fingerprint) {
  add_values(features.dense, fingerprint);
  const SparseMatrix& sparse = features.sparse;
  const auto entries = static_cast<std::size_t>(sparse.nonZeros());
  add_values(std::span(sparse.valuePtr(), entries), fingerprint);
  add_values(std::span(sparse.innerIndexPtr(), entries), fingerprint);
}

std::string first_split_mark(const Config& config, const Dataset& data) {
  return fingerprint_of(data, make_split(data, config.split, config.training.seed, 0));
}

}  // namespace

std::string fingerprint_of(const Dataset& data) {
  Fingerprint fingerprint;
  for (graph::Node item = 0; item < data.items().size(); ++item)
    fingerprint.add(fmt::format("{}\n", data.items()[item]));
  const graph::EdgeList& edges = data.graph.edges();
  add_values(edges.sources, fingerprint);
  add_values(edges.targets, fingerprint);
  add_values(edges.weights, fingerprint);
  add_values(edges.features, fingerprint);
  if (data.frozen) fingerprint.add(json::dump(data.frozen->description()));
  add_table(data.table, fingerprint);
  if (data.collection) add_table(data.collection->nodes, fingerprint);
  if (data.graphs) add_texts(data.graphs->smiles, fingerprint);
  if (data.pairs) {
    add_texts(data.pairs->texts.sources, fingerprint);
    add_texts(data.pairs->texts.targets, fingerprint);
    add_values(data.pairs->rows, fingerprint);
  }
  add_features(data.features, fingerprint);
  add_texts(data.labels.names, fingerprint);
  add_values(data.labels.classes, fingerprint);
  for (const Matrix* values : {&data.labels.targets, &data.labels.lower_bounds, &data.labels.upper_bounds})
    if (values->size() > 0 || values == &data.labels.targets) add_values(*values, fingerprint);
  if (!data.labels.weights.empty()) add_values(data.labels.weights, fingerprint);
  return fingerprint.text();
}

bool RunSet::add(const Dataset& data, Run&& run) {
  run.split_mark = fingerprint_of(data, run.split);
  run.validation_targets = targets_of(data.labels, run, data::Role::validation);
  run.test_targets = targets_of(data.labels, run, data::Role::test);
  results_.push_back(run);
  if (best_ && !is_better_run(run.report, best_->report)) return false;
  best_index_ = results_.size() - 1;
  best_ = std::move(run);
  return true;
}

CheckpointNote RunSet::to_note(const Config& config, const Dataset& data) {
  CheckpointNote note;
  note.value.set("config", to_json(config));
  note.value.set("data_mark", fingerprint_of(data));
  note.value.set("split_mark", first_split_mark(config, data));
  if (empty()) return note;
  json::Array runs;
  for (const RunResult& result : results_) runs.push_back(to_json(result));
  note.value.set("runs", std::move(runs));
  json::Value best = json::Object{{"run", static_cast<std::int64_t>(best_index_)}};
  save_run("", *best_, best, note);
  note.value.set("best", std::move(best));
  return note;
}

void RunSet::restore_best(const std::string& path, const CheckpointNote& note, const Dataset& data, std::int64_t runs) {
  const json::Value& saved = note.value.at("best");
  const std::int64_t index = saved.at("run").as_integer();
  if (index < 0 || index >= static_cast<std::int64_t>(size()))
    throw ModelError(fmt::format("{}: best run {} of {}", path, index, size()));
  best_index_ = static_cast<std::size_t>(index);
  Run run{results_[best_index_]};
  restore_run(path, "", saved, note, data, run);
  if (run.trained)
    for (TrainedModel* kind : components_of(*run.trained)) kind->training.runs = runs;
  best_ = std::move(run);
}

RunSet RunSet::from_note(const std::string& path, const CheckpointNote& note, const Config& config,
                         const Dataset& data) {
  RunSet set;
  try {
    const json::Value* data_mark = note.value.find("data_mark");
    if (data_mark != nullptr && data_mark->as_string() != fingerprint_of(data))
      throw ModelError(fmt::format("{}: the checkpoint was made with other data", path));
    const json::Value* runs = note.value.find("runs");
    const json::Value* split_mark = note.value.find("split_mark");
    Config saved = parse_config(note.value.at("config"));
    if (split_mark != nullptr && split_mark->as_string() != first_split_mark(saved, data))
      throw ModelError(fmt::format("{}: the checkpoint was made with another split", path));
    const bool is_checked_later = runs == nullptr && note.value.find(kChoiceMember) == nullptr;
    if (is_checked_later) saved.training = config.training;  // with the state of the run that was interrupted
    check_same(path, same_for_all_runs(saved), same_for_all_runs(config), "configuration");
    if (runs == nullptr) return set;
    const JobMetrics metrics = job_metrics(config, data);
    for (const json::Value& run : runs->as_array()) set.results_.push_back(run_result_from_json(run, metrics));
    if (static_cast<std::int64_t>(set.size()) > config.runs)
      throw ModelError(fmt::format("{}: {} runs have ended, but only {} are requested", path, set.size(), config.runs));
    for (std::size_t i = 0; i < set.size(); ++i) {
      RunResult& result = set.results_[i];
      result.split = make_split(data, config.split, config.training.seed + i, static_cast<std::int64_t>(i));
      if (fingerprint_of(data, result.split) != result.split_mark)
        throw ModelError(fmt::format("{}: the checkpoint was made with other data", path));
    }
    set.restore_best(path, note, data, config.runs);
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("{}: the checkpoint's runs are damaged: {}", path, error.what()));
  }
  return set;
}

}  // namespace edgewise::train
