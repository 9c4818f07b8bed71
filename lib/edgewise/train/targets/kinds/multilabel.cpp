#include "edgewise/autograd/binary_cross_entropy.hpp"
#include "edgewise/train/targets/probabilities.hpp"
#include "edgewise/train/targets/ranking.hpp"
#include "edgewise/train/targets/target.hpp"

namespace edgewise::train {
namespace {

/// Negatives / positives per label; 1 for a label without one of them.
std::vector<float> balanced_labels(const data::Labels& labels, std::span<const graph::Node> items) {
  std::vector<float> weights;
  for (Eigen::Index label = 0; label < labels.targets.cols(); ++label) {
    std::size_t positives = 0;
    std::size_t negatives = 0;
    for (const graph::Node item : items) {
      positives += labels.targets(item, label) > 0.5F ? 1 : 0;
      negatives += labels.targets(item, label) <= 0.5F ? 1 : 0;
    }
    const bool is_known = positives > 0 && negatives > 0;
    weights.push_back(is_known ? static_cast<float>(negatives) / static_cast<float>(positives) : 1.0F);
  }
  return weights;
}

/// The decisions on one label: absent, present.
std::vector<ClassCounts> decisions_on(const Ranking& one) {
  std::vector<ClassCounts> counts(2);
  for (std::size_t i = 0; i < one.scores.size(); ++i)
    count_decision(one.positives[i], one.scores[i] >= 0.5F ? 1 : 0, counts);
  return counts;
}

void add_counts(std::span<const ClassCounts> counts, std::span<ClassCounts> all) {
  for (std::size_t c = 0; c < all.size(); ++c) {
    all[c].hits += counts[c].hits;
    all[c].predicted += counts[c].predicted;
    all[c].support += counts[c].support;
  }
}

/// Any number of labels for each item: a sigmoid and a binary cross-entropy each.
class MultilabelTarget : public Target {
 public:
  const data::Task& task() const override { return data::Task::multilabel; }

  Loss make_loss(const data::Labels& labels, std::span<const graph::Node> known,
                 const LossOptions& options) const override {
    const std::vector<float> of_targets = weights_of_targets(options, labels);
    refuse_other_losses(options, "classes");
    refuse_label_smoothing(options);
    const std::vector<float> weights =
        weights_of_classes(options, labels, [&] { return balanced_labels(labels, known); });
    return [of_targets, weights](autograd::Variable outputs, const LossLabels& of) {
      return autograd::binary_cross_entropy(outputs, of.targets, of.rows, weights,
                                            {.rows = of.weights, .columns = of_targets});
    };
  }

  Matrix predictions(ConstMatrixRef outputs, const data::TargetScaler&) const override {
    return (1 / (1 + (-outputs.array()).exp())).matrix();
  }

  void clamp_predictions(Matrix& predictions) const override { clamp_probabilities(predictions); }

  std::span<const MetricKind> metrics() const override { return kProbabilityMetrics; }

  std::string default_metric(const data::Labels& labels) const override {
    return labels.are_ranked || has_rare_classes(labels) ? "roc_auc" : "macro_f1";
  }

  Metrics evaluate(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> items,
                   std::span<const double>) const override {
    std::vector<double> f1s, areas, precisions;
    std::vector<ClassCounts> all(2);
    for (Eigen::Index column = 0; column < labels.targets.cols(); ++column) {
      const Ranking one = ranking(labels, predictions, column, items);
      const std::vector<ClassCounts> counts = decisions_on(one);
      add_counts(counts, all);
      if (!one.scores.empty()) f1s.push_back(class_reports(counts)[1].f1);
      areas.push_back(roc_auc(one.scores, one.positives));
      precisions.push_back(average_precision(one.scores, one.positives));
    }
    return {{"accuracy", accuracy(all)},
            {"macro_f1", mean_of_defined(f1s)},
            {"micro_f1", all[0].support + all[1].support == 0 ? kUndefinedMetric : class_reports(all)[1].f1},
            {"roc_auc", mean_of_defined(areas)},
            {"average_precision", mean_of_defined(precisions)}};
  }
};

}  // namespace

const Target& multilabel_target() {
  static const MultilabelTarget target;
  return target;
}

}  // namespace edgewise::train
