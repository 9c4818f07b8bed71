#include "edgewise/train/loop/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/train/loop/node_batches.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kRowsPerChunk = 512;

Matrix softmax_rows(ConstMatrixRef outputs) {
  Matrix result(outputs.rows(), outputs.cols());
  parallel_for(static_cast<std::size_t>(outputs.rows()), kRowsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (auto row = static_cast<Eigen::Index>(begin); row < static_cast<Eigen::Index>(end); ++row) {
      result.row(row) = (outputs.row(row).array() - outputs.row(row).maxCoeff()).exp();
      result.row(row) /= result.row(row).sum();
    }
  });
  return result;
}

/// Whether the right half of the outputs are logarithms of variances (autograd/gaussian_error.hpp).
bool has_variances(ConstMatrixRef outputs, const data::TargetScaler& scaler) {
  return scaler.columns() > 0 && outputs.cols() == 2 * static_cast<Eigen::Index>(scaler.columns());
}

/// In the user's units.
Matrix deviations_in(ConstMatrixRef outputs, const data::TargetScaler& scaler) {
  Matrix deviations = (outputs.rightCols(outputs.cols() / 2).array() / 2).exp();
  for (Eigen::Index column = 0; column < deviations.cols(); ++column)
    deviations.col(column) *= static_cast<float>(scaler.deviation()[static_cast<std::size_t>(column)]);
  return deviations;
}

}  // namespace

Matrix to_predictions(data::Task task, ConstMatrixRef outputs, const data::TargetScaler& scaler) {
  if (outputs.size() == 0) return outputs;
  switch (task.shape) {
    case data::LabelShape::flags: return (1 / (1 + (-outputs.array()).exp())).matrix();
    case data::LabelShape::numbers:
      return scaler.restore(has_variances(outputs, scaler) ? outputs.leftCols(outputs.cols() / 2) : outputs);
    case data::LabelShape::classes: break;
  }
  return softmax_rows(outputs);
}

void keep_open(data::Task task, Matrix& predictions) {
  if (task.has_numbers() || (task.has_classes() && predictions.cols() == 1)) return;
  constexpr float kLeast = std::numeric_limits<float>::min(), kMost = 1 - std::numeric_limits<float>::epsilon() / 2;
  for (float& probability : std::span(predictions.data(), static_cast<std::size_t>(predictions.size())))
    if (probability < kLeast)
      probability = kLeast;
    else if (probability > kMost)
      probability = kMost;
}

void check_finite(const Matrix& predictions) {
  if (predictions.allFinite()) return;
  Eigen::Index row = 0;
  while (predictions.row(row).allFinite()) ++row;
  throw NumericalError(
      fmt::format("predictions: those of item {} of {} are not finite: its features, or the numbers of "
                  "the model, are too large",
                  row + 1, predictions.rows()));
}

Matrix predict(nn::Model& model, Batches& batches, data::Task task, const data::TargetScaler& scaler,
               Matrix* deviations) {
  batches.check_fits(model);
  std::vector<graph::Node> items(batches.item_count());
  std::iota(items.begin(), items.end(), graph::Node{0});
  autograd::Tape tape(false);
  Matrix outputs;
  report_step("predicting");
  evaluate_outputs(model, batches, items, tape, outputs);
  Matrix predictions = to_predictions(task, outputs, scaler);
  check_finite(predictions);
  keep_open(task, predictions);
  if (deviations != nullptr)
    *deviations =
        task.has_numbers() && has_variances(outputs, scaler) ? deviations_in(outputs, scaler) : Matrix();
  return predictions;
}

Matrix predict(nn::Model& model, const data::Features& features, const graph::FrozenGraph& graph, data::Task task,
               const data::TargetScaler& scaler, std::vector<nn::AttentionRecord>* attention) {
  NodeBatches batches(features, graph);
  batches.check_fits(model);
  autograd::Tape tape(false);
  Matrix predictions =
      to_predictions(task, batches.forward(model, {.tape = tape, .attention = attention}, {}).value(), scaler);
  check_finite(predictions);
  keep_open(task, predictions);
  return predictions;
}

Matrix embeddings(nn::Model& model, Batches& batches) {
  batches.check_fits(model);
  std::vector<graph::Node> items(batches.item_count());
  std::iota(items.begin(), items.end(), graph::Node{0});
  autograd::Tape tape(false);
  Matrix all, part;
  for (const std::vector<graph::Node>& some : batches.of_evaluation(model, items)) {
    tape.reset(false);
    batches.forward(model, {.tape = tape, .embeddings = &part}, some);
    if (all.size() == 0) all.resize(static_cast<Eigen::Index>(items.size()), part.cols());
    for (std::size_t i = 0; i < some.size(); ++i)
      all.row(static_cast<Eigen::Index>(some[i])) = part.row(static_cast<Eigen::Index>(i));
  }
  return all;
}

}  // namespace edgewise::train
