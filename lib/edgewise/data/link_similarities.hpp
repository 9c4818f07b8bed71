#pragma once

#include <array>
#include <span>
#include <string_view>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/ties.hpp"

namespace edgewise::data {

/// How alike the features of two nodes are, of their neighbours, and of the neighbours of these. With rows of length 1,
/// x0 as data::feature_directions, x1 the mean of x0 over the neighbours of a node, whatever the direction of ties, and
/// x2 the mean of x1, the numbers of a pair are the products of the rows of its ends: xi of the one with xj of the
/// other, and if i and j differ, the smaller and the larger of the two ways. Then the cosine of x0 + x1 + x2 of the
/// two. Where many nodes are alike it says little, so the numbers after it are this cosine less the density about an
/// end, the smaller and the larger of the two, and twice the cosine less both (Conneau et al. 2018, eq. 4). The density
/// is the mean of the 10 largest cosines with other nodes, among 1000 that are drawn.
class LinkSimilarities {
 public:
  static constexpr std::array<std::string_view, 13> kNames = {
      "own_own", "own_near_smaller", "own_near_larger", "own_far_smaller", "own_far_larger",
      "near_near", "near_far_smaller", "near_far_larger", "far_far",
      "all_all", "all_local_smaller", "all_local_larger", "all_local"};

  /// The numbers that are not 0 if ties lead from one side of nodes to the other, and features differ by side: products
  /// of rows of the source and the target, in this order.
  static constexpr std::array<std::string_view, 4> kNamesOfSides = {"own_near", "near_own", "near_far", "far_near"};

  /// `own` are the rows of the nodes, [nodes, width], and must outlive it. O(ties * width + 1000 nodes * width).
  LinkSimilarities(const Matrix& own, const graph::Ties& ties);

  /// Of the pairs (sources[i], targets[i]), in whatever order their ends are: [pairs, kNames]. O(width) for each pair.
  /// The same bits at any number of threads.
  Matrix of(std::span<const graph::Node> sources, std::span<const graph::Node> targets) const;
  /// Of pairs whose ends are on two sides: [pairs, kNamesOfSides].
  Matrix between_sides(std::span<const graph::Node> sources, std::span<const graph::Node> targets) const;

 private:
  const Matrix& own_;
  Matrix near_, far_;
  Eigen::VectorXf lengths_;    ///< Of x0 + x1 + x2.
  Eigen::VectorXf densities_;  ///< About each node.
};

}  // namespace edgewise::data
