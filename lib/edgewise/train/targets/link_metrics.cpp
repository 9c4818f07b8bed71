#include "edgewise/train/targets/link_metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "edgewise/core/error.hpp"

namespace edgewise::train {
namespace {

using Eigen::Index;

/// The rank of a tie among candidates, none if there are none. NaN if the prediction of the tie is.
template <class Row>
std::optional<double> rank_of_tie(float tie, const Row& candidates) {
  std::size_t better = 0, equal = 0, all = 0;
  for (Index i = 0; i < candidates.size(); ++i) {
    if (std::isnan(candidates[i])) continue;
    ++all;
    better += candidates[i] > tie ? 1 : 0;
    equal += candidates[i] == tie ? 1 : 0;
  }
  if (all == 0) return {};
  if (std::isnan(tie)) return kUndefinedMetric;
  return 1 + static_cast<double>(better) + static_cast<double>(equal) / 2;
}

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

TieRanks ranks_of_tie(ConstMatrixRef predictions, graph::Node tie) {
  const Index count = predictions.cols() / 2;
  const auto row = predictions.row(static_cast<Index>(tie));
  return {rank_of_tie(row[0], row.segment(1, count)), rank_of_tie(row[0], row.segment(1 + count, count))};
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

Metrics link_metrics(ConstMatrixRef predictions, std::span<const graph::Node> ties) {
  if (predictions.cols() % 2 == 0)
    throw UsageError(fmt::format("link_metrics: expected an odd number of columns, got {}", predictions.cols()));
  check_items(ties, static_cast<std::size_t>(predictions.rows()));
  const std::vector<double> ranks = ranks_of_ties(predictions, ties);
  const Ranking ranking = tie_ranking(predictions, ties);
  const bool is_defined = !ranks.empty();
  return {{"mrr", mean_reciprocal(ranks)},
          {"hits_at_1", hits_within(ranks, 1)},
          {"hits_at_3", hits_within(ranks, 3)},
          {"hits_at_10", hits_within(ranks, 10)},
          {"roc_auc", roc_auc(ranking.scores, ranking.positives)},
          {"average_precision",
           is_defined ? average_precision(ranking.scores, ranking.positives) : kUndefinedMetric}};
}

}  // namespace edgewise::train
