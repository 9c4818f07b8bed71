
#include "edgewise/autograd/cross_entropy.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/train/targets/probabilities.hpp"
#include "edgewise/train/targets/ranking.hpp"
#include "edgewise/train/targets/target.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kRowsPerChunk = 512;

/// n / (classes * count) per class; 1 for a class without items.
std::vector<float> balanced_classes(const data::Labels& labels, std::span<const graph::Node> items) {
  std::vector<std::size_t> counts(labels.names.size());
  for (const graph::Node item : items) ++counts[static_cast<std::size_t>(labels.classes[item])];
  std::vector<float> weights;
  for (const std::size_t count : counts) {
    const double share = static_cast<double>(items.size()) / static_cast<double>(counts.size());
    weights.push_back(count == 0 ? 1.0F : static_cast<float>(share / static_cast<double>(count)));
  }
  return weights;
}

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

double accuracy_of(ConstMatrixRef outputs, const data::Labels& labels, std::span<const graph::Node> items) {
  std::size_t right = 0;
  std::size_t known = 0;
  for (const graph::Node item : items) {
    if (!labels.has_value(item)) continue;
    Eigen::Index best = 0;
    outputs.row(item).maxCoeff(&best);
    ++known;
    right += best == labels.classes[item] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(known);
}

/// One class of several for each item: softmax, cross-entropy.
class ClassificationTarget : public Target {
 public:
  const data::Task& task() const override { return data::Task::classification; }

  std::vector<std::string> notes(const data::Labels& labels) const override { return data::class_notes(labels); }

  Loss make_loss(const data::Labels& labels, std::span<const graph::Node> known,
                 const LossOptions& options) const override {
    if (!options.target_weights.empty())
      throw UsageError(
          "training.target_weights: are for several targets or labels; for classes there are class_weights");
    refuse_other_losses(options, "classes");
    const std::vector<float> weights =
        weights_of_classes(options, labels, [&] { return balanced_classes(labels, known); });
    const auto smoothing = static_cast<float>(options.label_smoothing);
    return [weights, smoothing](autograd::Variable outputs, const LossLabels& of) {
      return autograd::cross_entropy(outputs, of.classes, of.rows, weights, of.weights, smoothing);
    };
  }

  Matrix predictions(ConstMatrixRef outputs, const data::TargetScaler&) const override { return softmax_rows(outputs); }

  void clamp_predictions(Matrix& predictions) const override {
    if (predictions.cols() > 1) clamp_probabilities(predictions);  // a single class stays at 1
  }

  std::span<const MetricKind> metrics() const override { return kProbabilityMetrics; }

  std::string default_metric(const data::Labels& labels) const override {
    return labels.are_ranked || has_rare_classes(labels) ? "roc_auc" : "accuracy";
  }

  Metrics evaluate(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> items,
                   std::span<const double>) const override {
    const std::vector<ClassCounts> counts =
        class_counts(labels.classes, predicted_classes(predictions), labels.names.size(), items);
    std::vector<double> areas, precisions;
    const auto classes = static_cast<std::int32_t>(labels.names.size());
    const std::int32_t first = classes == 2 ? positive_class(labels) : 0, end = classes == 2 ? first + 1 : classes;
    for (std::int32_t c = first; c < end; ++c) {
      const Ranking one = ranking(labels, predictions, c, items);
      areas.push_back(roc_auc(one.scores, one.positives));
      precisions.push_back(average_precision(one.scores, one.positives));
    }
    return {{"accuracy", accuracy(counts)},
            {"macro_f1", macro_f1(counts)},
            {"micro_f1", accuracy(counts)},
            {"roc_auc", mean_of_defined(areas)},
            {"average_precision", mean_of_defined(precisions)}};
  }

  double measure(std::string_view metric, const data::Labels& labels, ConstMatrixRef outputs,
                 const data::TargetScaler& scaler, std::span<const graph::Node> items) const override {
    if (metric == "accuracy") return accuracy_of(outputs, labels, items);  // the usual case needs no probabilities
    return Target::measure(metric, labels, outputs, scaler, items);
  }
};

}  // namespace

const Target& classification_target() {
  static const ClassificationTarget target;
  return target;
}

}  // namespace edgewise::train
