#include "edgewise/train/jobs/run_set.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"
#include "edgewise/core/mark.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/jobs/job_split.hpp"
#include "edgewise/train/jobs/known_items.hpp"
#include "edgewise/train/loop/objective.hpp"

namespace edgewise::train {
namespace {

constexpr const char* kPredictions = "predictions";
constexpr const char* kDeviations = "deviations";
constexpr std::string_view kModelPrefix = "model.";

json::Value targets_to_json(const std::vector<TargetMetrics>& targets) {
  json::Array list;
  for (const TargetMetrics& one : targets)
    list.emplace_back(json::Object{{"target", one.target}, {"metrics", to_json(one.metrics)}});
  return list;
}

std::vector<TargetMetrics> targets_from_json(const json::Value& value) {
  std::vector<TargetMetrics> targets;
  for (const json::Value& one : value.as_array())
    targets.push_back({one.at("target").as_string(), metrics_from_json(one.at("metrics"))});
  return targets;
}

json::Value report_to_json(const Report& report) {
  return json::Object{{"epochs", report.epochs},
                      {"best_epoch", report.best_epoch},
                      {"epoch_ms", report.epoch_ms},
                      {"seconds", report.seconds},
                      {"metric", report.metric},
                      {"train", to_json(report.train)},
                      {"validation", to_json(report.validation)},
                      {"test", to_json(report.test)}};
}

Report report_from_json(const json::Value& value) {
  Report report;
  report.epochs = value.at("epochs").as_integer();
  report.best_epoch = value.at("best_epoch").as_integer();
  report.epoch_ms = value.at("epoch_ms").as_number_or_nan();
  report.seconds = value.at("seconds").as_number();
  report.metric = value.at("metric").as_string();
  report.train = metrics_from_json(value.at("train"));
  report.validation = metrics_from_json(value.at("validation"));
  report.test = metrics_from_json(value.at("test"));
  return report;
}

Choice choice_from_json(const json::Value& value) {
  Choice choice{.metric = value.at("metric").as_string(),
                .candidates = {},
                .chosen = value.at("chosen").as_string(),
                .reason = value.at("reason").as_string()};
  for (const json::Value& one : value.at("candidates").as_array())
    choice.candidates.push_back({.model = one.at("model").as_string(),
                                 .validation = one.at("validation").as_number_or_nan(),
                                 .epochs = one.at("epochs").as_integer(),
                                 .seconds = one.at("seconds").as_number(),
                                 .was_dropped = one.at("was_dropped").as_bool(),
                                 .is_baseline = one.at("is_baseline").as_bool(),
                                 .is_averaged = one.get("is_averaged", false)});
  return choice;
}

json::Value result_to_json(const RunResult& result) {
  json::Object object{{"report", report_to_json(result.report)},
                      {"split_mark", result.split_mark},
                      {"validation_targets", targets_to_json(result.validation_targets)},
                      {"test_targets", targets_to_json(result.test_targets)},
                      {"parameters", static_cast<std::int64_t>(result.parameters)},
                      {"inputs", static_cast<std::int64_t>(result.inputs)},
                      {"order", result.order}};
  if (result.choice) object.emplace_back("choice", to_json(*result.choice));
  return object;
}

RunResult result_from_json(const json::Value& value) {
  RunResult result{.report = report_from_json(value.at("report")),
                   .split = {},
                   .split_mark = value.at("split_mark").as_string(),
                   .validation_targets = targets_from_json(value.at("validation_targets")),
                   .test_targets = targets_from_json(value.at("test_targets")),
                   .choice = {},
                   .parameters = static_cast<std::size_t>(value.at("parameters").as_integer()),
                   .inputs = static_cast<std::size_t>(value.at("inputs").as_integer()),
                   .order = value.at("order").as_string()};
  if (const json::Value* choice = value.find("choice")) result.choice = choice_from_json(*choice);
  return result;
}

/// The configuration without the number of runs, which may grow, and the time for them.
json::Value same_for_all_runs(const Config& config) {
  Config same = config;
  same.runs = 1;
  same.budget.clear();
  return to_json(same);
}

io::Tensor to_tensor(const std::string& name, const Matrix& matrix) {
  return {name, {matrix.rows(), matrix.cols()}, {matrix.data(), matrix.data() + matrix.size()}};
}

const io::Tensor* find_tensor(const CheckpointNote& note, std::string_view name) {
  for (const io::Tensor& tensor : note.tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

/// One row per item and one column per label; empty if there is no such tensor.
Matrix matrix_of(const std::string& path, const CheckpointNote& note, const char* name, const JobData& data) {
  const io::Tensor* tensor = find_tensor(note, name);
  if (tensor == nullptr) return {};
  const auto rows = static_cast<Eigen::Index>(data.items().size());
  const auto columns = static_cast<Eigen::Index>(data.labels.names.size());
  if (tensor->shape != std::vector<std::int64_t>{rows, columns})
    throw ModelError(fmt::format("{}: the {} do not have {} items and {} labels", path, name, rows, columns));
  return Eigen::Map<const Matrix>(tensor->values.data(), rows, columns);
}

io::Safetensors model_content(const CheckpointNote& note, const json::Value& metadata) {
  io::Safetensors content;
  for (const auto& [name, text] : metadata.as_object()) content.metadata.emplace_back(name, text.as_string());
  for (const io::Tensor& tensor : note.tensors) {
    if (!tensor.name.starts_with(kModelPrefix)) continue;
    content.tensors.push_back(tensor);
    content.tensors.back().name.erase(0, kModelPrefix.size());
  }
  return content;
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
void add_values(const Values& values, Mark& mark) {
  const auto size = static_cast<std::size_t>(values.size());
  mark.add(fmt::format("{} ", size));
  if (size > 0) mark.add({reinterpret_cast<const char*>(values.data()), size * sizeof(*values.data())});
}

void add_texts(std::span<const std::string> texts, Mark& mark) {
  for (const std::string& text : texts) mark.add(fmt::format("{} {}", text.size(), text));
}

void add_table(const io::NodeTable& table, Mark& mark) {
  for (const io::Column& column : table.columns) {
    add_texts({&column.name, 1}, mark);
    add_values(column.numbers, mark);
    add_values(column.codes, mark);
    add_texts(column.categories, mark);
  }
}

void add_features(const data::Features& features, Mark& mark) {
  add_values(features.dense, mark);
  const SparseMatrix& sparse = features.sparse;
  const auto entries = static_cast<std::size_t>(sparse.nonZeros());
  add_values(std::span(sparse.valuePtr(), entries), mark);
  add_values(std::span(sparse.innerIndexPtr(), entries), mark);
}

std::string first_split_mark(const Config& config, const JobData& data) {
  return mark_of(data.items(), make_split(data, config.split, config.training.seed, 0));
}

}  // namespace

json::Value to_json(const Choice& choice) {
  json::Array candidates;
  for (const Candidate& one : choice.candidates)
    candidates.emplace_back(json::Object{{"model", one.model},
                                         {"validation", one.validation},
                                         {"epochs", one.epochs},
                                         {"seconds", one.seconds},
                                         {"was_dropped", one.was_dropped},
                                         {"is_baseline", one.is_baseline},
                                         {"is_averaged", one.is_averaged}});
  return json::Object{{"metric", choice.metric},
                      {"candidates", std::move(candidates)},
                      {"chosen", choice.chosen},
                      {"reason", choice.reason}};
}

std::string mark_of(const JobData& data) {
  Mark mark;
  for (graph::Node item = 0; item < data.items().size(); ++item) mark.add(fmt::format("{}\n", data.items()[item]));
  const graph::EdgeList& edges = data.graph.edges();
  add_values(edges.sources, mark);
  add_values(edges.targets, mark);
  add_values(edges.weights, mark);
  add_values(edges.features, mark);
  add_table(data.table, mark);
  if (data.collection) add_table(data.collection->nodes, mark);
  if (data.graphs) add_texts(data.graphs->smiles, mark);
  add_features(data.features, mark);
  add_texts(data.labels.names, mark);
  add_values(data.labels.classes, mark);
  add_values(data.labels.targets, mark);
  return mark.text();
}

bool RunSet::add(const JobData& data, Run&& run) {
  results_.push_back({.report = run.report,
                      .split = run.split,
                      .split_mark = mark_of(data.items(), run.split),
                      .validation_targets = targets_of(data.labels, run, data::Role::validation),
                      .test_targets = targets_of(data.labels, run, data::Role::test),
                      .choice = run.choice,
                      .parameters = run.parameters,
                      .inputs = run.inputs,
                      .order = run.order});
  if (best_ && !is_better_run(run.report, best_->report)) return false;
  best_index_ = results_.size() - 1;
  best_ = std::move(run);
  return true;
}

CheckpointNote RunSet::to_note(const Config& config, const JobData& data) {
  CheckpointNote note;
  note.value.set("config", to_json(config));
  note.value.set("data_mark", mark_of(data));
  note.value.set("split_mark", first_split_mark(config, data));
  if (empty()) return note;
  json::Array runs;
  for (const RunResult& result : results_) runs.push_back(result_to_json(result));
  note.value.set("runs", std::move(runs));
  json::Value best = json::Object{{"run", static_cast<std::int64_t>(best_index_)}};
  note.tensors.push_back(to_tensor(kPredictions, best_->predictions));
  if (best_->deviations.size() > 0) note.tensors.push_back(to_tensor(kDeviations, best_->deviations));
  if (best_->trained) {
    io::Safetensors content = to_safetensors(*best_->trained);
    json::Object metadata;
    for (const auto& [name, text] : content.metadata) metadata.emplace_back(name, text);
    best.set("model", std::move(metadata));
    for (io::Tensor& tensor : content.tensors) {
      tensor.name.insert(0, kModelPrefix);
      note.tensors.push_back(std::move(tensor));
    }
  }
  note.value.set("best", std::move(best));
  return note;
}

void RunSet::restore_best(const std::string& path, const CheckpointNote& note, const JobData& data) {
  const json::Value& saved = note.value.at("best");
  const std::int64_t index = saved.at("run").as_integer();
  if (index < 0 || index >= static_cast<std::int64_t>(size()))
    throw ModelError(fmt::format("{}: best run {} of {}", path, index, size()));
  best_index_ = static_cast<std::size_t>(index);
  const RunResult& result = results_[best_index_];
  Run run;
  run.report = result.report;
  run.split = result.split;
  run.predictions = matrix_of(path, note, kPredictions, data);
  if (run.predictions.size() == 0)
    throw ModelError(fmt::format("{}: the predictions of the best run are missing", path));
  run.deviations = matrix_of(path, note, kDeviations, data);
  run.parameters = result.parameters;
  run.inputs = result.inputs;
  run.order = result.order;
  run.choice = result.choice;
  if (const json::Value* model = saved.find("model")) run.trained = from_safetensors(path, model_content(note, *model));
  best_ = std::move(run);
}

RunSet RunSet::from_note(const std::string& path, const CheckpointNote& note, const Config& config,
                         const JobData& data) {
  RunSet set;
  const json::Value* mark = note.value.find("data_mark");
  if (mark != nullptr && mark->as_string() != mark_of(data))
    throw ModelError(fmt::format("{}: the checkpoint was made with other data", path));
  const json::Value* runs = note.value.find("runs");
  const json::Value* split_mark = note.value.find("split_mark");
  try {
    Config saved = parse_config(note.value.at("config"));
    if (split_mark != nullptr && split_mark->as_string() != first_split_mark(saved, data))
      throw ModelError(fmt::format("{}: the checkpoint was made with another split", path));
    if (runs == nullptr) saved.training = config.training;  // checked with the state of the run that was interrupted
    check_same(path, same_for_all_runs(saved), same_for_all_runs(config), "configuration");
    if (runs == nullptr) return set;
    for (const json::Value& run : runs->as_array()) set.results_.push_back(result_from_json(run));
    if (static_cast<std::int64_t>(set.size()) > config.runs)
      throw ModelError(fmt::format("{}: {} runs have ended, but only {} are requested", path, set.size(), config.runs));
    for (std::size_t i = 0; i < set.size(); ++i) {
      RunResult& result = set.results_[i];
      result.split = make_split(data, config.split, config.training.seed + i, static_cast<std::int64_t>(i));
      if (mark_of(data.items(), result.split) != result.split_mark)
        throw ModelError(fmt::format("{}: the checkpoint was made with other data", path));
    }
    set.restore_best(path, note, data);
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("{}: the checkpoint's runs are damaged: {}", path, error.what()));
  }
  return set;
}

}  // namespace edgewise::train
