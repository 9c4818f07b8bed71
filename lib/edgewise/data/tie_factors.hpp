#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/ties.hpp"

namespace edgewise::data {

/// Matrix factors of the ties from one side of nodes to the other, such as of people and what they bought. With A the
/// 0/1 matrix, S and T the degrees of sources and targets, and U s V' the largest singular values of S^-1/2 A T^-1/2,
/// the numbers of a pair are the entries of S^1/2 U s V' T^1/2 with 8, 32 and 96 of these: what is left of A when only
/// the broad patterns of who is tied to what are kept.
class TieFactors {
 public:
  static constexpr std::array<std::string_view, 3> kNames = {"few_factors", "matrix_factors", "many_factors"};

  /// `sides` as for graph::LinkCandidates. The singular values are found as in data::feature_directions.
  /// O(ties * 96 + nodes * 96^2). Throws UsageError unless there is a side for each node.
  TieFactors(const graph::Ties& ties, std::span<const std::uint8_t> sides);

  /// Of the pairs (sources[i], targets[i]): [pairs, kNames]. The same bits at any number of threads.
  Matrix of(std::span<const graph::Node> sources, std::span<const graph::Node> targets) const;

 private:
  Matrix rows_;  ///< Of each node those of its side, strongest first: the product of two is an entry.
};

}  // namespace edgewise::data
