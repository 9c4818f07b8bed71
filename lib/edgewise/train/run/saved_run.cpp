#include "edgewise/train/run/saved_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {
namespace {

constexpr const char* kPredictions = "predictions";
constexpr const char* kDeviations = "deviations";
constexpr const char* kDoubts = "doubts";
constexpr const char* kModelPrefix = "model.";

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
void check_numbers(const std::string& path, const char* name, const Matrix& rows, const Dataset& data, Range range) {
  const std::vector<std::string> problems = data.graphs ? data.graphs->problems : std::vector<std::string>{};
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    if (!problems.empty() && !problems[static_cast<std::size_t>(row)].empty()) continue;
    for (const float number : rows.row(row))
      if (!(number >= range.smallest && number <= range.largest) && !(data.links && std::isnan(number)))
        throw ModelError(fmt::format("{}: the {} of the best run hold {} for \"{}\", expected {}", path, name, number,
                                     data.items()[static_cast<graph::Node>(row)], range.name));
  }
}

/// One row per item and so many columns (any, if 0), with numbers in `range`; empty without a tensor PREFIX + NAME.
Matrix matrix_of(const std::string& path, const CheckpointNote& note, const std::string& prefix, const char* name,
                 const Dataset& data, std::size_t count, Range range) {
  const io::Tensor* tensor = find_tensor(note, prefix + name);
  if (tensor == nullptr) return {};
  const auto rows = static_cast<Eigen::Index>(data.items().size());
  const auto columns = static_cast<Eigen::Index>(
      count == 0 && tensor->shape.size() == 2 ? static_cast<std::size_t>(tensor->shape[1]) : count);
  if (tensor->shape != std::vector<std::int64_t>{rows, columns})
    throw ModelError(fmt::format("{}: the {} do not have {} items and {} {}", path, name, rows, columns,
                                 columns == std::ssize(data.labels.names) ? "labels" : "columns"));
  Matrix matrix = Eigen::Map<const Matrix>(tensor->values.data(), rows, columns);
  check_numbers(path, name, matrix, data, range);
  return matrix;
}

/// Throws ModelError unless the model predicts the labels of the data.
void check_predicts(const std::string& path, const TrainedModel& trained, const data::Labels& labels) {
  if (trained.task == labels.task && trained.label_names == labels.names) return;
  throw ModelError(fmt::format("{}: the model of the best run predicts other labels than those of the data", path));
}

io::Safetensors model_content(const CheckpointNote& note, const std::string& prefix, const json::Value& metadata) {
  io::Safetensors content;
  for (const auto& [name, text] : metadata.as_object()) content.metadata.emplace_back(name, text.as_string());
  for (const io::Tensor& tensor : note.tensors) {
    if (!tensor.name.starts_with(prefix)) continue;
    content.tensors.push_back(tensor);
    content.tensors.back().name.erase(0, prefix.size());
  }
  return content;
}

}  // namespace

void save_run(const std::string& prefix, Run& run, json::Value& saved, CheckpointNote& note) {
  note.tensors.push_back(io::to_tensor(prefix + kPredictions, run.predictions));
  if (run.deviations.size() > 0) note.tensors.push_back(io::to_tensor(prefix + kDeviations, run.deviations));
  if (run.uncertainty_inputs.size() > 0)
    note.tensors.push_back(io::to_tensor(prefix + kDoubts, run.uncertainty_inputs));
  if (!run.trained) return;
  io::Safetensors content = to_safetensors(*run.trained);
  json::Object metadata;
  for (const auto& [name, text] : content.metadata) metadata.emplace_back(name, text);
  saved.set("model", std::move(metadata));
  for (io::Tensor& tensor : content.tensors) {
    tensor.name.insert(0, prefix + kModelPrefix);
    note.tensors.push_back(std::move(tensor));
  }
}

void restore_run(const std::string& path, const std::string& prefix, const json::Value& saved,
                 const CheckpointNote& note, const Dataset& data, Run& run) {
  const bool is_of_numbers = data.labels.has_numbers();
  const std::size_t labels = data.links ? 0 : data.labels.names.size();  // ties have columns of other pairs
  run.predictions =
      matrix_of(path, note, prefix, kPredictions, data, labels, is_of_numbers ? kTargetRange : kProbabilityRange);
  if (run.predictions.size() == 0)
    throw ModelError(fmt::format("{}: the predictions of the best run are missing", path));
  run.deviations = matrix_of(path, note, prefix, kDeviations, data, labels, kSpreadRange);
  run.uncertainty_inputs = matrix_of(path, note, prefix, kDoubts, data, 1, kSpreadRange);
  if (const json::Value* model = saved.find("model")) {
    run.trained = from_safetensors(path, model_content(note, prefix + kModelPrefix, *model));
    check_predicts(path, *run.trained, data.labels);
  }
}

JobMetrics job_metrics(const Config& config, const Dataset& data) {
  JobMetrics job{.metric = checked_metric(config.training.metric, data.labels),
                 .names = {},
                 .targets = data.labels.names};
  const auto rows = static_cast<Eigen::Index>(data.items().size());
  const Matrix nothing = Matrix::Zero(rows, static_cast<Eigen::Index>(job.targets.size()));
  const std::vector<double> deviations(job.targets.size(), 1);
  for (const auto& [name, value] : evaluate(data.labels, nothing, {}, deviations)) job.names.push_back(name);
  return job;
}

}  // namespace edgewise::train
