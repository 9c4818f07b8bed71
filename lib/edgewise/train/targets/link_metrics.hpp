#pragma once

#include <optional>
#include <span>

#include "edgewise/train/targets/metrics.hpp"
#include "edgewise/train/targets/ranking.hpp"

namespace edgewise::train {

/// How well ties are told from candidates that are none: `predictions` are [ties, 1 + 2 K]. Column 0 is the tie
/// itself, the next K are candidates in place of its target, the last K in place of its source; NaN: there is no such
/// candidate.
/// - `mrr`: the mean of 1 / rank of a tie among the candidates of one end, over both ends of all ties
/// - `hits_at_1`, `hits_at_3`, `hits_at_10`: the share of those whose rank is at most so much
/// - `roc_auc`, `average_precision`: of the ties against the first candidate of each end.
/// Of equal predictions a tie has the middle rank, 1 + better + equal / 2, and a half does not keep it from a hit, as
/// in the evaluation of the Open Graph Benchmark (Hu et al. 2020). An end without any candidate does not count. A
/// metric is NaN if no end has one, or if the prediction of a tie is NaN.
///
/// `ties` are the rows that count. Throws UsageError for a row that does not exist, and unless the number of columns is
/// odd.
Metrics link_metrics(ConstMatrixRef predictions, std::span<const graph::Node> ties);

/// mrr and hits of ranks that were found in another way; none without ranks.
Metrics rank_metrics(std::span<const double> ranks);

/// The rank of a tie among candidates, NaN being none; nothing without candidates. NaN if the prediction of the tie is.
std::optional<double> rank_among(float tie, std::span<const float> candidates);

/// The ranks of both ends of a tie, of those that have candidates: that of its target among the candidates in place of
/// it, and that of its source.
struct TieRanks {
  std::optional<double> of_target, of_source;
};
TieRanks ranks_of_tie(ConstMatrixRef predictions, graph::Node tie);

/// Ties, and the first candidate of each end, which are none.
Ranking tie_ranking(ConstMatrixRef predictions, std::span<const graph::Node> ties);

}  // namespace edgewise::train
