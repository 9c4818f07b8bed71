#include "edgewise/train/targets/link_metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "edgewise/core/error.hpp"

namespace edgewise::train {
namespace {

using Eigen::Index;

/// Of both ends of all ties.
std::vector<double> ranks_of_ties(ConstMatrixRef predictions, std::span<const graph::Node> ties) {
  std::vector<double> ranks;
  for (const graph::Node tie : ties) {
    const TieRanks both = ranks_of_tie(predictions, tie);
    for (const std::optional<double>& rank : {both.of_target, both.of_source})
      if (rank) ranks.push_back(*rank);
  }
  return ranks;
}

/// NaN without ranks, and if one is NaN.
double mean_reciprocal(std::span<const double> ranks) {
  double sum = 0;
  for (const double rank : ranks) sum += 1 / rank;
  return sum / static_cast<double>(ranks.size());
}
double hits_within(std::span<const double> ranks, double limit) {
  double sum = 0;
  for (const double rank : ranks) sum += std::isnan(rank) ? rank : (rank <= limit + 0.5 ? 1 : 0);
  return sum / static_cast<double>(ranks.size());
}

}  // namespace

std::optional<double> rank_among(float tie, std::span<const float> candidates) {
  std::size_t better = 0, equal = 0, all = 0;
  for (const float candidate : candidates) {
    if (std::isnan(candidate)) continue;
    ++all;
    better += candidate > tie ? 1 : 0;
    equal += candidate == tie ? 1 : 0;
  }
  if (all == 0) return {};
  if (std::isnan(tie)) return kUndefinedMetric;
  return 1 + static_cast<double>(better) + static_cast<double>(equal) / 2;
}

TieRanks ranks_of_tie(ConstMatrixRef predictions, graph::Node tie) {
  const auto count = static_cast<std::size_t>(predictions.cols() / 2);
  const std::span<const float> row(predictions.row(static_cast<Index>(tie)).data(), 1 + 2 * count);
  return {rank_among(row[0], row.subspan(1, count)), rank_among(row[0], row.subspan(1 + count, count))};
}

Ranking tie_ranking(ConstMatrixRef predictions, std::span<const graph::Node> ties) {
  const Index count = predictions.cols() / 2;
  Ranking ranking;
  const auto add = [&](float score, bool is_tie) {
    ranking.scores.push_back(score);
    ranking.positives.push_back(is_tie ? 1 : 0);
  };
  for (const graph::Node tie : ties) {
    const auto row = predictions.row(static_cast<Index>(tie));
    add(row[0], true);
    if (count == 0) continue;
    for (const Index first : {Index{1}, 1 + count})
      if (!std::isnan(row[first])) add(row[first], false);
  }
  return ranking;
}

Metrics rank_metrics(std::span<const double> ranks) {
  return {{"mrr", mean_reciprocal(ranks)},
          {"hits_at_1", hits_within(ranks, 1)},
          {"hits_at_3", hits_within(ranks, 3)},
          {"hits_at_10", hits_within(ranks, 10)}};
}

Metrics link_metrics(ConstMatrixRef predictions, std::span<const graph::Node> ties) {
  if (predictions.cols() % 2 == 0)
    throw UsageError(fmt::format("link_metrics: expected an odd number of columns, got {}", predictions.cols()));
  check_items("link_metrics", ties, static_cast<std::size_t>(predictions.rows()));
  const std::vector<double> ranks = ranks_of_ties(predictions, ties);
  const Ranking ranking = tie_ranking(predictions, ties);
  const bool is_defined = !ranks.empty();
  Metrics metrics = rank_metrics(ranks);
  metrics.emplace_back("roc_auc", roc_auc(ranking.scores, ranking.positives));
  metrics.emplace_back("average_precision",
                       is_defined ? average_precision(ranking.scores, ranking.positives) : kUndefinedMetric);
  return metrics;
}

}  // namespace edgewise::train
