#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

#include "edgewise/autograd/binary_cross_entropy.hpp"
#include "edgewise/train/targets/candidates.hpp"
#include "edgewise/train/targets/link_metrics.hpp"
#include "edgewise/train/targets/probabilities.hpp"
#include "edgewise/train/targets/target.hpp"

namespace edgewise::train {
namespace {

constexpr data::Task kTask{.name = "links", .shape = data::LabelShape::flags, .has_candidates = true};

constexpr std::array kLinkMetrics = {
    MetricKind{"mrr", MetricUnit::share, MetricVariance::items},
    MetricKind{"hits_at_1", MetricUnit::share, MetricVariance::items},
    MetricKind{"hits_at_3", MetricUnit::share, MetricVariance::items},
    MetricKind{"hits_at_10", MetricUnit::share, MetricVariance::items},
    MetricKind{"roc_auc", MetricUnit::share, MetricVariance::pairs},
    MetricKind{"average_precision", MetricUnit::share, MetricVariance::positives},
};

/// Outputs, but NaN in the places of candidates that nobody can take.
Matrix with_blanks(ConstMatrixRef outputs) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  return (outputs.array() <= kNobody).select(kNaN, outputs);
}

/// Those that were predicted.
std::vector<graph::Node> judged(ConstMatrixRef predictions, std::span<const graph::Node> items) {
  std::vector<graph::Node> rows;
  std::ranges::copy_if(items, std::back_inserter(rows),
                       [&](graph::Node item) { return !std::isnan(predictions(item, 0)); });
  return rows;
}

/// The logits that ties are told from candidates by: the first column of each row is a tie, the others are not.
Matrix truths_beside(autograd::Variable outputs, const LossLabels& of) {
  Matrix truths = Matrix::Zero(outputs.rows(), outputs.cols());
  for (Eigen::Index row = 0; row < truths.rows(); ++row) truths(row, 0) = of.targets(row, 0);
  return truths;
}

/// Which ties there are: a sigmoid and a binary cross-entropy for each tie and each of its candidates.
class LinksTarget : public Target {
 public:
  const data::Task& task() const override { return kTask; }

  Loss make_loss(const data::Labels&, std::span<const graph::Node>, const LossOptions& options) const override {
    refuse_other_losses(options, "ties");
    refuse_label_smoothing(options);
    refuse_class_weights(options, "learning ties has");
    const auto truths = std::make_shared<Matrix>();  // outlives the record, as does the loss
    return [truths](autograd::Variable outputs, const LossLabels& of) {
      *truths = truths_beside(outputs, of);
      return autograd::binary_cross_entropy(outputs, *truths, of.rows, {}, {.rows = of.weights});
    };
  }

  Matrix predictions(ConstMatrixRef outputs, const data::TargetScaler&) const override {
    return (1 / (1 + (-with_blanks(outputs).array()).exp())).matrix();
  }

  void clamp_predictions(Matrix& predictions) const override { clamp_probabilities(predictions); }

  std::span<const MetricKind> metrics() const override { return kLinkMetrics; }
  std::string default_metric(const data::Labels&) const override { return "mrr"; }

  Metrics evaluate(const data::Labels&, ConstMatrixRef predictions, std::span<const graph::Node> items,
                   std::span<const double>) const override {
    const std::vector<graph::Node> rows = judged(predictions, items);
    return rows.empty() && !items.empty() ? Metrics() : link_metrics(predictions, rows);
  }

  /// Outputs rank as probabilities do, and more finely near 1.
  double measure(std::string_view metric, const data::Labels&, ConstMatrixRef outputs, const data::TargetScaler&,
                 std::span<const graph::Node> items) const override {
    return train::metric(link_metrics(with_blanks(outputs), items), metric);
  }
};

}  // namespace

const Target& links_target() {
  static const LinksTarget target;
  return target;
}

}  // namespace edgewise::train
