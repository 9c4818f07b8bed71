#include "edgewise/train/choose/chance.hpp"

#include <algorithm>
#include <cmath>

#include "edgewise/core/moments.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {
namespace {

/// Shrinks a share away from 0 and 1: a few right answers prove little.
double away_from_ends(double share, double count) { return (share * count + 1) / (count + 2); }

double binomial_variance(double share, std::size_t count) {
  const auto n = static_cast<double>(count);
  const double p = away_from_ends(share, n);
  return p * (1 - p) / n;
}

double roc_auc_variance(double value, const Sample::Sides& sides) {
  const auto positives = static_cast<double>(sides.positives), negatives = static_cast<double>(sides.negatives);
  const double area = away_from_ends(value, positives + negatives);
  const double two_positives = area / (2 - area);  // both rank above one negative
  const double two_negatives = 2 * area * area / (1 + area);
  const double squares = area * (1 - area) + (positives - 1) * (two_positives - area * area) +
                         (negatives - 1) * (two_negatives - area * area);
  return squares / (positives * negatives);
}

/// Variance of a share, a mean over the labels.
double variance_of_share(MetricVariance kind, double value, const Sample& sample) {
  if (sample.labels.empty() || kind == MetricVariance::items) return binomial_variance(value, sample.items);
  double sum = 0;
  for (const Sample::Sides& sides : sample.labels)
    sum += kind == MetricVariance::pairs ? roc_auc_variance(value, sides) : binomial_variance(value, sides.positives);
  const auto labels = static_cast<double>(sample.labels.size());
  return sum / (labels * labels);
}

/// The largest of the targets'.
double largest_kurtosis(const Matrix& targets, std::span<const graph::Node> items) {
  double largest = 0;
  for (Eigen::Index target = 0; target < targets.cols(); ++target) {
    std::vector<double> known;
    for (const graph::Node item : items)
      if (const float value = targets(item, target); !std::isnan(value)) known.push_back(value);
    largest = std::max(largest, kurtosis(known, moments_of(known)));
  }
  return largest;
}

/// Standard error of a standard deviation of 1.
double error_of_deviation(const Sample& sample) {
  constexpr double kNormal = 3;
  const double kurtosis = sample.kurtosis > kHeavyTails ? sample.kurtosis : kNormal;
  return std::sqrt((kurtosis - 1) / (4 * static_cast<double>(sample.items)));
}

template <class IsPositive>
Sample::Sides sides_of(std::span<const graph::Node> items, const IsPositive& is_positive) {
  Sample::Sides sides;
  for (const graph::Node item : items) {
    const float of = is_positive(item);
    sides.positives += of == 1.0F ? 1 : 0;
    sides.negatives += of == 0.0F ? 1 : 0;
  }
  return sides;
}

}  // namespace

Sample sample_of(const data::Labels& labels, std::span<const graph::Node> items) {
  const std::vector<graph::Node> known = labelled(labels, items);
  Sample sample{.items = known.size()};
  if (labels.has_numbers()) {
    sample.kurtosis = largest_kurtosis(labels.targets, known);
    return sample;
  }
  const bool has_classes = labels.has_classes();
  for (std::size_t i = 0; i < labels.names.size(); ++i) {
    if (has_classes && labels.names.size() == 2 && i != static_cast<std::size_t>(positive_class(labels))) continue;
    const Sample::Sides sides = sides_of(known, [&](graph::Node item) {
      return has_classes ? static_cast<float>(labels.classes[item] == static_cast<std::int32_t>(i))
                         : labels.targets(item, static_cast<Eigen::Index>(i));
    });
    if (sides.positives > 0 && sides.negatives > 0) sample.labels.push_back(sides);
  }
  return sample;
}

double chance(const std::string& metric, double value, const Sample& sample) {
  const MetricKind& kind = metric_kind(metric);
  const bool are_squares = kind.variance == MetricVariance::squares;
  if (kind.variance != MetricVariance::deviation && !are_squares)
    return 2 * std::sqrt(variance_of_share(kind.variance, value, sample));
  // The relative error of a mean of squares is twice that of its root.
  return (are_squares ? 4 : 2) * (kind.unit == MetricUnit::fit ? 1 - value : value) * error_of_deviation(sample);
}

double lead(const std::string& metric, double value, double than) {
  return higher_is_better(metric) ? value - than : than - value;
}

}  // namespace edgewise::train
