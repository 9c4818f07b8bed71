#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "edgewise/autograd/poisson_error.hpp"
#include "edgewise/train/targets/target.hpp"

namespace edgewise::train {
namespace {

constexpr data::Task kCounts{.name = "counts", .shape = data::LabelShape::numbers, .are_whole = true, .least = 0};

constexpr std::array kCountMetrics = {
    MetricKind{"deviance", MetricUnit::error, MetricVariance::squares},
    MetricKind{"mae", MetricUnit::error, MetricVariance::deviation},
    MetricKind{"rmse", MetricUnit::error, MetricVariance::deviation},
    MetricKind{"r2", MetricUnit::fit, MetricVariance::deviation},
};

constexpr float kSmallestRate = std::numeric_limits<float>::min();

/// 2 (y log(y / rate) - y + rate): 0 if the rate is the count.
double deviance_of(double y, double rate) {
  const double positive = std::max(rate, double{kSmallestRate});
  return 2 * ((y > 0 ? y * std::log(y / positive) : 0) - y + positive);
}

/// The mean of the targets' mean deviances.
double mean_deviance(const Matrix& truth, ConstMatrixRef predictions, std::span<const graph::Node> items) {
  std::vector<double> of_targets;
  for (Eigen::Index target = 0; target < truth.cols(); ++target) {
    double sum = 0, count = 0;
    for (const graph::Node item : items) {
      if (std::isnan(truth(item, target))) continue;
      sum += deviance_of(truth(item, target), predictions(item, target));
      ++count;
    }
    of_targets.push_back(sum / count);
  }
  return mean_of_defined(of_targets);
}

/// The share of zeros among counts with this mean and variance: Poisson, with rates of a gamma distribution if they
/// vary more than Poisson's do.
double share_of_zeros(double mean, double variance) {
  if (variance <= mean) return std::exp(-mean);
  const double shape = mean * mean / (variance - mean);
  return std::pow(shape / (shape + mean), shape);
}

/// The remark about a target with far more zeros than counts like these have; nothing for others.
std::string zeros_note(const std::string& name, const Eigen::ArrayXf& column) {
  constexpr Eigen::Index kFewestItems = 20;
  constexpr double kFarMore = 1.5, kLeastMore = 0.1;
  std::vector<double> known;
  std::ranges::copy_if(column, std::back_inserter(known), [](float count) { return !std::isnan(count); });
  const Eigen::Map<const Eigen::ArrayXd> counts(known.data(), std::ssize(known));
  if (counts.size() < kFewestItems) return "";
  const double zeros = static_cast<double>((counts == 0).count()) / static_cast<double>(counts.size());
  const double expected = share_of_zeros(counts.mean(), (counts - counts.mean()).square().mean());
  if (zeros < kFarMore * expected || zeros < expected + kLeastMore) return "";
  return fmt::format(
      "\"{}\" is 0 in {:.0f} % of the items, where counts with this mean and spread are 0 in {:.0f} %: if features do "
      "not tell which, learn whether it is 0 (as classes) apart from how many there are of the others",
      name, 100 * zeros, 100 * expected);
}

/// Whole numbers from 0, such as visits or defects: the logarithm of a rate, with Poisson's likelihood. Counts are
/// scaled to mean 1, so that the outputs start around 0 in any unit.
class CountTarget : public Target {
 public:
  const data::Task& task() const override { return kCounts; }

  std::vector<std::string> notes(const data::Labels& labels) const override {
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < labels.names.size(); ++i)
      if (std::string note = zeros_note(labels.names[i], labels.targets.col(static_cast<Eigen::Index>(i)));
          !note.empty())
        notes.push_back(std::move(note));
    return notes;
  }

  data::TargetScaler fit_scaler(const data::Labels& labels, std::span<const graph::Node> items) const override {
    std::vector<double> sizes = data::TargetScaler::fit(labels.targets, items).mean();
    for (double& size : sizes)
      if (size == 0) size = 1;
    return data::TargetScaler::of_sizes(std::move(sizes));
  }

  Loss make_loss(const data::Labels& labels, std::span<const graph::Node>, const LossOptions& options) const override {
    refuse_class_weights(options, "counts have");
    refuse_label_smoothing(options);
    refuse_other_losses(options, "counts");
    const std::vector<float> of_targets = weights_of_targets(options, labels);
    return [of_targets](autograd::Variable outputs, const LossLabels& of) {
      return autograd::poisson_error(outputs, of.targets, of.rows, {.rows = of.weights, .columns = of_targets});
    };
  }

  Matrix predictions(ConstMatrixRef outputs, const data::TargetScaler& scaler) const override {
    return scaler.restore(outputs.array().exp().matrix());
  }

  /// Those of the distribution itself.
  Matrix deviations(ConstMatrixRef outputs, const data::TargetScaler& scaler) const override {
    return predictions(outputs, scaler).array().sqrt().matrix();
  }

  void clamp_predictions(Matrix& predictions) const override { predictions = predictions.cwiseMax(kSmallestRate); }

  std::span<const MetricKind> metrics() const override { return kCountMetrics; }

  std::string default_metric(const data::Labels&) const override { return "deviance"; }

  Metrics evaluate(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> items,
                   std::span<const double>) const override {
    return {{"deviance", mean_deviance(labels.targets, predictions, items)},
            {"mae", mean_absolute_error(labels.targets, predictions, items)},
            {"rmse", root_mean_squared_error(labels.targets, predictions, items)},
            {"r2", r_squared(labels.targets, predictions, items)}};
  }

  bool has_link() const override { return true; }
  TreeLoss tree_loss() const override { return {"count:poisson", "poisson-nloglik", "1"}; }
};

}  // namespace

const Target& counts_target() {
  static const CountTarget target;
  return target;
}

}  // namespace edgewise::train
