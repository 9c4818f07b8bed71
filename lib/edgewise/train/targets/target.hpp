#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/data/labels.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/train/targets/loss_options.hpp"
#include "edgewise/train/targets/metric_kind.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {

/// The labels that a loss is over. All must outlive the tape's record.
struct LossLabels {
  std::span<const graph::Node> rows;         ///< Of the outputs and of all below.
  const std::vector<std::int32_t>& classes;  ///< -1 if unknown.
  const Matrix& targets;                     ///< Scaled; NaN if unknown.
  const Matrix& lower;                       ///< If some targets are bounds: the scaled ends of what encloses each.
  const Matrix& upper;
  std::span<const float> weights;  ///< Of the rows; empty: all alike.
};

/// The weighted mean over the known labels, [1, 1]. Must outlive the tape's record.
using Loss = std::function<autograd::Variable(autograd::Variable outputs, const LossLabels& labels)>;

/// How XGBoost learns numbers: the loss that trees lower, the one that says when to stop, and what is predicted before
/// any tree.
struct TreeLoss {
  const char* objective;
  const char* measured;
  const char* start;
};

/// A task: what is learnt from labels, and everything that follows from it. Each is a file of kinds/, which defines
/// `const Target& NAME_target()`. What follows from the shape of the labels alone, such as the columns of a table of
/// predictions, is not asked for here, but of data::Labels and data::Task.
class Target {
 public:
  virtual ~Target() = default;
  virtual const data::Task& task() const = 0;
  /// Remarks on labels that are unusual for this task, in plain sentences.
  virtual std::vector<std::string> notes(const data::Labels&) const { return {}; }

  /// How many outputs of a model belong to each name of the labels.
  virtual std::size_t outputs_of_name(const LossOptions&) const { return 1; }
  virtual bool can_have_outputs(std::size_t outputs, std::size_t names) const { return outputs == names; }
  /// What numbers are learnt in, from those of the training items; without columns if they are not scaled.
  virtual data::TargetScaler fit_scaler(const data::Labels&, std::span<const graph::Node> /*items*/) const {
    return {};
  }
  /// `known` are the training items with a label. Throws UsageError for options that do not suit the task.
  virtual Loss make_loss(const data::Labels& labels, std::span<const graph::Node> known,
                         const LossOptions& options) const = 0;

  /// Outputs of a model as probabilities, or as numbers in the user's units.
  virtual Matrix predictions(ConstMatrixRef outputs, const data::TargetScaler& scaler) const = 0;
  /// The deviations that a model gives with its predictions, in the user's units; empty if it gives none.
  virtual Matrix deviations(ConstMatrixRef /*outputs*/, const data::TargetScaler&) const { return {}; }
  /// Probabilities that are 0 or 1 only because a float holds nothing in between become the nearest that it does hold:
  /// no evidence is without limit.
  virtual void clamp_predictions(Matrix&) const {}

  /// In the order of the manual.
  virtual std::span<const MetricKind> metrics() const = 0;
  /// The metric for early stopping.
  virtual std::string default_metric(const data::Labels& labels) const = 0;
  /// The metrics of predictions over `items`, as train::evaluate, which checks all arguments.
  virtual Metrics evaluate(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> items,
                           std::span<const double> deviations) const = 0;
  /// One of them, of outputs.
  virtual double measure(std::string_view metric, const data::Labels& labels, ConstMatrixRef outputs,
                         const data::TargetScaler& scaler, std::span<const graph::Node> items) const;

  /// For numbers: whether predictions are no linear function of outputs, so that nothing can be fitted to the numbers
  /// as they are, and how trees learn the outputs.
  virtual bool has_link() const { return false; }
  virtual TreeLoss tree_loss() const { return {"reg:squarederror", "rmse", "0"}; }
};

}  // namespace edgewise::train
