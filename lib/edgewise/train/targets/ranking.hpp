#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"

/// @file
/// Items ranked by a score: what ROC and precision-recall curves, and the areas under them, are made from.
namespace edgewise::train {

/// Scores, and whether they belong to positives (0 or 1), of the same length.
struct Ranking {
  std::vector<float> scores;
  std::vector<std::uint8_t> positives;
};

/// The scores of one class against the rest, or of one label, in a column of `predictions` [items, names], over those
/// of `nodes` that have a label.
Ranking ranking(const data::Labels& labels, ConstMatrixRef predictions, Eigen::Index column,
                std::span<const graph::Node> nodes);

/// Calls visit(positives, total) once per distinct score, from the highest, with the counts at that score. No score is
/// NaN.
template <class Visit>
void each_threshold(std::span<const float> scores, std::span<const std::uint8_t> positives, Visit&& visit) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    double here = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[i]]; ++end) here += positives[order[end]];
    visit(here, static_cast<double>(end - i));
    i = end;
  }
}

}  // namespace edgewise::train
