#include "edgewise/train/run/run_set.hpp"

#include <fmt/format.h>

#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/mark.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/metric_kinds.hpp"
#include "edgewise/train/loop/metrics.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/model/known_items.hpp"

namespace edgewise::train {
namespace {

constexpr const char* kPredictions = "predictions";
constexpr const char* kDeviations = "deviations";
constexpr std::string_view kModelPrefix = "model.";

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

/// What numbers may be.
struct Range {
  float smallest = 0;
  float largest = 0;
  const char* name = "";
};

constexpr float kLargestFloat = std::numeric_limits<float>::max();
constexpr Range kProbabilityRange = {0, 1 + 1e-5F, "probabilities"};
constexpr Range kTargetRange = {-kLargestFloat, kLargestFloat, "finite numbers"};
constexpr Range kSpreadRange = {0, kLargestFloat, "finite numbers of at least 0"};

/// Throws ModelError unless the numbers of all rows are in `range`, but for those of bad molecules, which are blank.
void check_numbers(const std::string& path, const char* name, const Matrix& rows, const JobData& data, Range range) {
  const std::vector<std::string> problems = data.graphs ? data.graphs->problems : std::vector<std::string>{};
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    if (!problems.empty() && !problems[static_cast<std::size_t>(row)].empty()) continue;
    for (const float number : rows.row(row))
      if (!(number >= range.smallest && number <= range.largest))
        throw ModelError(fmt::format("{}: the {} of the best run hold {} for \"{}\", expected {}", path, name, number,
                                     data.items()[static_cast<graph::Node>(row)], range.name));
  }
}

/// One row per item and one column per label, with numbers in `range`; empty if there is no such tensor.
Matrix matrix_of(const std::string& path, const CheckpointNote& note, const char* name, const JobData& data,
                 Range range) {
  const io::Tensor* tensor = find_tensor(note, name);
  if (tensor == nullptr) return {};
  const auto rows = static_cast<Eigen::Index>(data.items().size());
  const auto columns = static_cast<Eigen::Index>(data.labels.names.size());
  if (tensor->shape != std::vector<std::int64_t>{rows, columns})
    throw ModelError(fmt::format("{}: the {} do not have {} items and {} labels", path, name, rows, columns));
  Matrix matrix = Eigen::Map<const Matrix>(tensor->values.data(), rows, columns);
  check_numbers(path, name, matrix, data, range);
  return matrix;
}

/// Throws ModelError unless the model predicts the labels of the data.
void check_predicts(const std::string& path, const TrainedModel& trained, const data::Labels& labels) {
  if (trained.task == labels.task && trained.label_names == labels.names) return;
  throw ModelError(fmt::format("{}: the model of the best run predicts other labels than those of the data", path));
}

JobMetrics metrics_of(const Config& config, const JobData& data) {
  JobMetrics job{.metric = checked_metric(config.training.metric, data.labels),
                 .names = {},
                 .targets = data.labels.names};
  const auto rows = static_cast<Eigen::Index>(data.items().size());
  const Matrix nothing = Matrix::Zero(rows, static_cast<Eigen::Index>(job.targets.size()));
  const std::vector<double> deviations(job.targets.size(), 1);
  for (const auto& [name, value] : evaluate(data.labels, nothing, {}, deviations)) job.names.push_back(name);
  return job;
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
  return fingerprint(data.items(), make_split(data, config.split, config.training.seed, 0));
}

}  // namespace

std::string fingerprint(const JobData& data) {
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
                      .split_mark = fingerprint(data.items(), run.split),
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
  note.value.set("data_mark", fingerprint(data));
  note.value.set("split_mark", first_split_mark(config, data));
  if (empty()) return note;
  json::Array runs;
  for (const RunResult& result : results_) runs.push_back(to_json(result));
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

void RunSet::restore_best(const std::string& path, const CheckpointNote& note, const JobData& data,
                          std::int64_t runs) {
  const json::Value& saved = note.value.at("best");
  const std::int64_t index = saved.at("run").as_integer();
  if (index < 0 || index >= static_cast<std::int64_t>(size()))
    throw ModelError(fmt::format("{}: best run {} of {}", path, index, size()));
  best_index_ = static_cast<std::size_t>(index);
  const RunResult& result = results_[best_index_];
  Run run;
  run.report = result.report;
  run.split = result.split;
  const bool is_of_numbers = data.labels.task == data::Task::regression;
  run.predictions = matrix_of(path, note, kPredictions, data, is_of_numbers ? kTargetRange : kProbabilityRange);
  if (run.predictions.size() == 0)
    throw ModelError(fmt::format("{}: the predictions of the best run are missing", path));
  run.deviations = matrix_of(path, note, kDeviations, data, kSpreadRange);
  run.parameters = result.parameters;
  run.inputs = result.inputs;
  run.order = result.order;
  run.choice = result.choice;
  if (const json::Value* model = saved.find("model")) {
    run.trained = from_safetensors(path, model_content(note, *model));
    check_predicts(path, *run.trained, data.labels);
    for (TrainedModel* kind : kinds_of(*run.trained)) kind->training.set("runs", runs);
  }
  best_ = std::move(run);
}

RunSet RunSet::from_note(const std::string& path, const CheckpointNote& note, const Config& config,
                         const JobData& data) {
  RunSet set;
  try {
    const json::Value* mark = note.value.find("data_mark");
    if (mark != nullptr && mark->as_string() != fingerprint(data))
      throw ModelError(fmt::format("{}: the checkpoint was made with other data", path));
    const json::Value* runs = note.value.find("runs");
    const json::Value* split_mark = note.value.find("split_mark");
    Config saved = parse_config(note.value.at("config"));
    if (split_mark != nullptr && split_mark->as_string() != first_split_mark(saved, data))
      throw ModelError(fmt::format("{}: the checkpoint was made with another split", path));
    if (runs == nullptr) saved.training = config.training;  // checked with the state of the run that was interrupted
    check_same(path, same_for_all_runs(saved), same_for_all_runs(config), "configuration");
    if (runs == nullptr) return set;
    const JobMetrics metrics = metrics_of(config, data);
    for (const json::Value& run : runs->as_array()) set.results_.push_back(run_result_from_json(run, metrics));
    if (static_cast<std::int64_t>(set.size()) > config.runs)
      throw ModelError(fmt::format("{}: {} runs have ended, but only {} are requested", path, set.size(), config.runs));
    for (std::size_t i = 0; i < set.size(); ++i) {
      RunResult& result = set.results_[i];
      result.split = make_split(data, config.split, config.training.seed + i, static_cast<std::int64_t>(i));
      if (fingerprint(data.items(), result.split) != result.split_mark)
        throw ModelError(fmt::format("{}: the checkpoint was made with other data", path));
    }
    set.restore_best(path, note, data, config.runs);
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("{}: the checkpoint's runs are damaged: {}", path, error.what()));
  }
  return set;
}

}  // namespace edgewise::train
