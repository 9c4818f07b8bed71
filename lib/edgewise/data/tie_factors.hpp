#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/anchored_pairs.hpp"
#include "edgewise/graph/ties.hpp"

namespace edgewise::data {

/// Matrix factors of the ties from one side of nodes to the other, such as of people and what they bought. With A the
/// 0/1 matrix, S and T the degrees of sources and targets, and U s V' the largest singular values of S^-1/2 A T^-1/2,
/// the numbers of a pair are the entries of S^1/2 U s V' T^1/2 with 8, 32 and 96 of these, but at most half of the
/// nodes on the smaller side: what is left of A when only the broad patterns of who is tied to what are kept.
class TieFactors {
 public:
  static constexpr std::array<std::string_view, 3> kNames = {"few_factors", "matrix_factors", "many_factors"};

  /// `sides` as for graph::LinkCandidates; the ties must outlive this. The singular values are found as in
  /// data::feature_directions. O(ties * 96 + nodes * 96^2). Throws UsageError unless there is a side for each node.
  TieFactors(const graph::Ties& ties, std::span<const std::uint8_t> sides);

  /// Of the pairs (sources[i], targets[i]): [pairs, kNames]. With OwnTie::omit the part that a pair's own tie has in
  /// its entry is taken away, to the first order. The same bits at any number of threads.
  Matrix of(std::span<const graph::Node> sources, std::span<const graph::Node> targets,
            graph::OwnTie own_tie = graph::OwnTie::keep) const;

 private:
  double share_of_tie(graph::Node source, graph::Node target, Eigen::Index count) const;

  const graph::Ties& ties_;
  Matrix rows_;  ///< Of each node those of its side, strongest first: the product of two is an entry.
  Eigen::VectorXf squares_;  ///< Of the singular values.
};

}  // namespace edgewise::data
