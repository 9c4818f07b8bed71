#include "edgewise/train/loop/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {

Matrix to_predictions(const data::Task& task, ConstMatrixRef outputs, const data::TargetScaler& scaler) {
  return outputs.size() == 0 ? Matrix(outputs) : target_of(task).predictions(outputs, scaler);
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

namespace {

/// NaN in the rows that no item of an ascending list has.
void blank_other_rows(std::span<const graph::Node> items, Matrix& rows) {
  std::size_t next = 0;
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    if (next < items.size() && items[next] == static_cast<graph::Node>(row))
      ++next;
    else
      rows.row(row).setConstant(std::numeric_limits<float>::quiet_NaN());
  }
}

}  // namespace

Matrix predict(nn::Model& model, Batches& batches, const data::Task& task, const data::TargetScaler& scaler,
               Matrix* deviations) {
  batches.check_fits(model);
  const std::vector<graph::Node> items = batches.items_to_predict();
  autograd::Tape tape(false);
  Matrix outputs;
  report_step("predicting");
  evaluate_outputs(model, batches, items, tape, outputs);
  const bool are_all = items.size() == batches.item_count();
  if (!are_all) blank_other_rows(items, outputs);
  Matrix predictions = to_predictions(task, outputs, scaler);
  const Eigen::Index own = task.has_candidates ? 1 : predictions.cols();
  check_finite(are_all && own == predictions.cols() ? predictions : Matrix(predictions(items, Eigen::seqN(0, own))));
  target_of(task).clamp_predictions(predictions);
  if (deviations != nullptr) *deviations = target_of(task).deviations(outputs, scaler);
  return predictions;
}

Matrix predict(nn::Model& model, const data::Features& features, const graph::FrozenGraph& graph,
               const data::Task& task, const data::TargetScaler& scaler, std::vector<nn::AttentionRecord>* attention) {
  NodeBatches batches(features, graph);
  batches.check_fits(model);
  autograd::Tape tape(false);
  Matrix predictions =
      to_predictions(task, batches.forward(model, {.tape = tape, .attention = attention}, {}).value(), scaler);
  check_finite(predictions);
  target_of(task).clamp_predictions(predictions);
  return predictions;
}

Matrix embeddings(nn::Model& model, Batches& batches) {
  std::vector<graph::Node> items(batches.item_count());
  std::iota(items.begin(), items.end(), graph::Node{0});
  return embeddings(model, batches, items);
}

Matrix embeddings(nn::Model& model, Batches& batches, std::span<const graph::Node> items) {
  batches.check_fits(model);
  const auto row_of = [&](graph::Node item) { return std::ranges::lower_bound(items, item) - items.begin(); };
  autograd::Tape tape(false);
  Matrix all, part;
  for (const std::vector<graph::Node>& some : batches.of_evaluation(model, items)) {
    tape.reset(false);
    batches.forward(model, {.tape = tape, .embeddings = &part}, some);
    if (all.size() == 0) all.resize(static_cast<Eigen::Index>(items.size()), part.cols());
    for (std::size_t i = 0; i < some.size(); ++i)
      all.row(row_of(some[i])) = part.row(static_cast<Eigen::Index>(i));
  }
  return all;
}

}  // namespace edgewise::train
