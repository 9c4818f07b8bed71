#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/csr.hpp"

namespace edgewise::data {

/// Numbers of a pair of nodes, made from the labels of known edges. A label is one number or more, each less its mean
/// over all edges, so 0 is what is usual; of repeated edges the mean counts. For a pair (u, v):
/// - how many labels u and v give and get (as sources and as targets), and whether the opposite edge is known;
/// - for each number x: its mean over these edges with two more of 0, its mean square, least and most; that of the
///   opposite edge; biases b_u and b'_v with b_u + b'_v ~ x, each a ridge regression on its edges in turn (Koren 2009,
///   "The BellKor solution to the Netflix grand prize", section 2), their sum, and this plus p_u . q_v, where the eight
///   numbers of p_u and of q_v explain what biases leave (ridge regressions in turn; Koren, Bell and Volinsky 2009,
///   "Matrix factorization techniques for recommender systems"); the mean of what the nodes get that v gets labels
///   from, and of what those get that u gives labels to;
/// - for each of the ways of two steps between u and v along and against the edges: how many there are, and over them
///   the means of the product of both labels, of that next to u, and of that next to v (Leskovec et al. 2010,
///   "Predicting positive and negative links in online social networks", section 3, with means in place of counts of
///   signs).
/// In an undirected network each edge counts in both directions, and half of the numbers would be the same: they are
/// not there.
class EdgeStatistics {
 public:
  /// For sources or targets about which nothing is known.
  static constexpr graph::Node kUnknown = ~graph::Node{0};
  /// The end of the names of b_u + b'_v.
  static constexpr std::string_view kSumOfBiases = ": sum of biases";
  /// The end of the names of b_u + b'_v + p_u . q_v.
  static constexpr std::string_view kSumWithFactors = ": sum of biases and factors";

  /// Whether there are sums with factors: models of earlier versions have none.
  enum class Factors { no, yes };

  /// Edge i leads from sources[i] to targets[i] and has the label values.row(i). O(edges log edges).
  EdgeStatistics(std::size_t nodes, std::span<const graph::Node> sources, std::span<const graph::Node> targets,
                 ConstMatrixRef values, graph::Direction direction, Factors factors = Factors::yes);

  /// What the numbers are, for labels of these names.
  static std::vector<std::string> names(std::span<const std::string> labels, graph::Direction direction,
                                        Factors factors = Factors::yes);

  /// Writes those of a pair to `row`. Whether an edge between them is known must make no difference: leave it out of
  /// the edges. O(degrees of both).
  void fill(graph::Node source, graph::Node target, float* row) const;

 private:
  /// The edges of each node in one direction, ascending by the node at the other end.
  struct Side {
    graph::Csr edges;
    std::vector<std::size_t> labels;  ///< Of each slot, a row of values_.
    Matrix mean, square, least, most, bias;  ///< [nodes, numbers]
    Matrix beyond;                           ///< The mean of what the others get.

    std::size_t count(graph::Node node) const { return node == kUnknown ? 0 : edges.row(node).size(); }
  };
  struct Common;

  void build(Side& side, std::span<const graph::Node> ends, std::span<const graph::Node> others,
             std::span<const std::size_t> order) const;
  void summarise(Side& side) const;
  void fit_biases();
  void fit_factors();
  float product_of_factors(graph::Node source, graph::Node target, Eigen::Index number) const;
  void add_beyond(Side& side) const;
  Common common_of(const Side& from_source, graph::Node source, const Side& from_target, graph::Node target) const;
  const Side& got() const { return is_directed_ ? got_ : given_; }

  bool is_directed_;
  Matrix values_;  ///< [different edges, numbers]
  Side given_, got_;
  Matrix source_factors_, target_factors_;  ///< [nodes, eight of each number]; empty if there are none.
};

}  // namespace edgewise::data
