#include <array>

#include "edgewise/autograd/gaussian_error.hpp"
#include "edgewise/autograd/interval_error.hpp"
#include "edgewise/autograd/squared_error.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/train/targets/target.hpp"

namespace edgewise::train {
namespace {

constexpr std::array kRegressionMetrics = {
    MetricKind{"mae", MetricUnit::error, MetricVariance::deviation},
    MetricKind{"rmse", MetricUnit::error, MetricVariance::deviation},
    MetricKind{"r2", MetricUnit::fit, MetricVariance::deviation},
    MetricKind{"relative_rmse", MetricUnit::error, MetricVariance::deviation, MetricUse::several},
    MetricKind{"bounds_held", MetricUnit::share, MetricVariance::items, MetricUse::reported},
};

/// Whether the right half of the outputs are logarithms of variances (autograd/gaussian_error.hpp).
bool has_variances(ConstMatrixRef outputs, const data::TargetScaler& scaler) {
  return scaler.columns() > 0 && outputs.cols() == 2 * static_cast<Eigen::Index>(scaler.columns());
}

/// One number or more for each item, scaled to mean 0 and deviation 1: squared, Huber's or a Gaussian loss.
class RegressionTarget : public Target {
 public:
  const data::Task& task() const override { return data::Task::regression; }

  std::vector<std::string> notes(const data::Labels& labels) const override { return data::logarithm_notes(labels); }

  std::size_t outputs_of_name(const LossOptions& options) const override { return options.loss == "gaussian" ? 2 : 1; }

  bool can_have_outputs(std::size_t outputs, std::size_t names) const override {
    return outputs == names || outputs == 2 * names;
  }

  data::TargetScaler fit_scaler(const data::Labels& labels, std::span<const graph::Node> items) const override {
    return data::TargetScaler::fit(labels.targets, items);
  }

  Loss make_loss(const data::Labels& labels, std::span<const graph::Node>, const LossOptions& options) const override {
    const std::vector<float> of_targets = weights_of_targets(options, labels);
    if (options.loss == "gaussian" && labels.has_bounds())
      throw UsageError("training.loss: \"gaussian\" cannot learn from bounds such as >5");
    refuse_label_smoothing(options);
    refuse_class_weights(options, "a regression has");
    const autograd::Penalty penalty = options.loss == "huber" ? autograd::Penalty::huber : autograd::Penalty::square;
    if (labels.has_bounds())
      return [of_targets, penalty](autograd::Variable outputs, const LossLabels& of) {
        return autograd::interval_error(outputs, of.lower, of.upper, of.rows,
                                        {.rows = of.weights, .columns = of_targets}, penalty);
      };
    if (options.loss == "gaussian")
      return [of_targets](autograd::Variable outputs, const LossLabels& of) {
        return autograd::gaussian_error(outputs, of.targets, of.rows, {.rows = of.weights, .columns = of_targets});
      };
    return [of_targets, penalty](autograd::Variable outputs, const LossLabels& of) {
      return autograd::squared_error(outputs, of.targets, of.rows, {.rows = of.weights, .columns = of_targets},
                                     penalty);
    };
  }

  Matrix predictions(ConstMatrixRef outputs, const data::TargetScaler& scaler) const override {
    return scaler.restore(has_variances(outputs, scaler) ? outputs.leftCols(outputs.cols() / 2) : outputs);
  }

  Matrix deviations(ConstMatrixRef outputs, const data::TargetScaler& scaler) const override {
    if (!has_variances(outputs, scaler)) return {};
    Matrix deviations = (outputs.rightCols(outputs.cols() / 2).array() / 2).exp();
    for (Eigen::Index column = 0; column < deviations.cols(); ++column)
      deviations.col(column) *= static_cast<float>(scaler.deviation()[static_cast<std::size_t>(column)]);
    return deviations;
  }

  std::span<const MetricKind> metrics() const override { return kRegressionMetrics; }

  std::string default_metric(const data::Labels& labels) const override {
    return labels.names.size() > 1 ? "relative_rmse" : "rmse";
  }

  Metrics evaluate(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> items,
                   std::span<const double> deviations) const override {
    Metrics metrics = {{"mae", mean_absolute_error(labels.targets, predictions, items)},
                       {"rmse", root_mean_squared_error(labels.targets, predictions, items)},
                       {"r2", r_squared(labels.targets, predictions, items)}};
    if (deviations.size() > 1)
      metrics.emplace_back("relative_rmse", relative_rmse(labels.targets, predictions, items, deviations));
    if (labels.has_bounds()) metrics.emplace_back("bounds_held", bounds_held(labels, predictions, items));
    return metrics;
  }
};

}  // namespace

const Target& regression_target() {
  static const RegressionTarget target;
  return target;
}

}  // namespace edgewise::train
