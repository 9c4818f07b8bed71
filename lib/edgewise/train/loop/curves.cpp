#include "edgewise/train/loop/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/train/targets/metrics.hpp"
#include "edgewise/train/targets/ranking.hpp"

namespace edgewise::train {
namespace {

void check_curve(const char* operation, const data::Labels& labels, ConstMatrixRef predictions,
                 std::span<const graph::Node> items) {
  const auto rows = static_cast<std::size_t>(predictions.rows());
  check_labels(operation, labels, rows);
  if (static_cast<std::size_t>(predictions.cols()) != labels.names.size())
    throw UsageError(fmt::format("{}: expected predictions [{}, {}], got [{}, {}]", operation, rows,
                                 labels.names.size(), rows, predictions.cols()));
  check_items(operation, items, rows);
}

/// A decision: how sure it is, and whether it is right.
struct Decision {
  double confidence;
  bool is_right;
};

std::vector<Decision> class_decisions(const data::Labels& labels, ConstMatrixRef predictions,
                                      std::span<const graph::Node> items) {
  std::vector<Decision> decisions;
  for (const graph::Node item : items) {
    if (labels.classes[item] < 0) continue;
    Eigen::Index best = 0;
    const float largest = predictions.row(item).maxCoeff(&best);
    const bool has_nan = predictions.row(item).array().isNaN().any();
    decisions.push_back({has_nan ? std::nan("") : double{largest}, best == labels.classes[item]});
  }
  return decisions;
}

std::vector<Decision> label_decisions(const data::Labels& labels, ConstMatrixRef predictions,
                                      std::span<const graph::Node> items) {
  std::vector<Decision> decisions;
  for (const graph::Node item : items)
    for (Eigen::Index column = 0; column < predictions.cols(); ++column) {
      const float truth = labels.targets(item, column), probability = predictions(item, column);
      if (std::isnan(truth)) continue;
      decisions.push_back({std::max<double>(probability, 1 - double{probability}),
                           (probability >= 0.5F) == (truth > 0.5F)});
    }
  return decisions;
}

constexpr std::size_t kBins = 10;  // of confidences

std::size_t bin_of(double confidence) {
  const double place = std::ceil(confidence * static_cast<double>(kBins)) - 1;
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kBins - 1)));
}

}  // namespace

RankingCurve ranking_curve(const data::Labels& labels, ConstMatrixRef predictions, std::size_t column,
                           std::span<const graph::Node> items) {
  check_curve("ranking_curve", labels, predictions, items);
  const Ranking ranked = ranking(labels, predictions, static_cast<Eigen::Index>(column), items);
  RankingCurve curve;
  curve.positives = std::ranges::count(ranked.positives, 1);
  curve.negatives = static_cast<std::int64_t>(ranked.positives.size()) - curve.positives;
  curve.roc_auc = roc_auc(ranked.scores, ranked.positives);
  curve.average_precision = average_precision(ranked.scores, ranked.positives);
  if (std::isnan(curve.roc_auc)) return curve;
  double hits = 0, called = 0;
  const auto positives = static_cast<double>(curve.positives), negatives = static_cast<double>(curve.negatives);
  each_threshold(ranked.scores, ranked.positives, [&](double here, double total) {
    hits += here;
    called += total;
    curve.points.push_back({(called - hits) / negatives, hits / positives, hits / called});
  });
  return curve;
}

std::vector<std::int64_t> positive_counts(const data::Labels& labels, std::span<const graph::Node> items) {
  std::vector<std::int64_t> counts(labels.names.size());
  for (const graph::Node item : items) {
    if (labels.has_classes()) {
      if (labels.classes[item] >= 0) ++counts[static_cast<std::size_t>(labels.classes[item])];
      continue;
    }
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] += labels.targets(item, static_cast<Eigen::Index>(i)) > 0.5F ? 1 : 0;
  }
  return counts;
}

Reliability reliability(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> items) {
  if (labels.has_numbers()) throw UsageError("reliability: expected probabilities, not numbers");
  check_curve("reliability", labels, predictions, items);
  const std::vector<Decision> decisions = labels.has_classes() ? class_decisions(labels, predictions, items)
                                                               : label_decisions(labels, predictions, items);
  Reliability result{.bins = std::vector<ReliabilityBin>(kBins)};
  if (decisions.empty() || std::ranges::any_of(decisions, [](const Decision& d) { return std::isnan(d.confidence); }))
    return result;
  std::vector<double> confidences(kBins), rights(kBins);
  for (const Decision& decision : decisions) {
    const std::size_t bin = bin_of(decision.confidence);
    ++result.bins[bin].decisions;
    confidences[bin] += decision.confidence;
    rights[bin] += decision.is_right ? 1 : 0;
  }
  double error = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    ReliabilityBin& bin = result.bins[i];
    if (bin.decisions == 0) continue;
    bin.confidence = confidences[i] / static_cast<double>(bin.decisions);
    bin.accuracy = rights[i] / static_cast<double>(bin.decisions);
    error += std::abs(rights[i] - confidences[i]);
  }
  result.expected_error = error / static_cast<double>(decisions.size());
  return result;
}

std::vector<std::int64_t> histogram(std::span<const float> values, double low, double high, std::size_t bins) {
  std::vector<std::int64_t> counts(bins);
  for (const float value : values) {
    if (!(value >= low && value <= high)) continue;
    const double share = high > low ? (value - low) / (high - low) : 0;
    ++counts[std::min(bins - 1, static_cast<std::size_t>(share * static_cast<double>(bins)))];
  }
  return counts;
}

}  // namespace edgewise::train
