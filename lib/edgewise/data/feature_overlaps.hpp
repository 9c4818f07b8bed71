#pragma once

#include <array>
#include <span>
#include <string_view>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/csr.hpp"

namespace edgewise::data {

/// What the sparse features of two nodes have in common, column by column, which data::feature_directions blur: the
/// cosine of their rows as they are and with each column weighed by data::column_weights, the number of columns that
/// both have, and the sum of the squared weights of these.
class FeatureOverlaps {
 public:
  static constexpr std::array<std::string_view, 4> kNames = {"columns_cosine", "columns_weighed_cosine",
                                                             "columns_shared", "columns_shared_weight"};

  explicit FeatureOverlaps(const SparseMatrix& features);

  /// Of the pairs (sources[i], targets[i]), in whatever order their ends are: [pairs, kNames]. For each pair as many
  /// steps as both rows have entries. The same bits at any number of threads.
  Matrix of(std::span<const graph::Node> sources, std::span<const graph::Node> targets) const;

 private:
  /// Sums over the columns that two rows share.
  struct Shared {
    double product = 0, weighed_product = 0, count = 0, weight = 0;
  };
  Shared shared(Eigen::Index one, Eigen::Index other) const;

  SparseMatrix rows_;
  Eigen::VectorXd squared_weights_;           ///< Of the columns.
  Eigen::VectorXd lengths_, weighed_lengths_;  ///< Of the rows.
};

}  // namespace edgewise::data
