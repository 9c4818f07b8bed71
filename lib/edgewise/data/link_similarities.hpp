#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/anchored_pairs.hpp"

namespace edgewise::data {

/// How alike the features of two nodes are, and those of their neighbours. With the rows of the features brought to
/// length 1 as X, and S = D^-1/2 A D^-1/2 of the neighbours whatever the direction of ties, for a pair (u, v):
/// - `feature_cosine`: the cosine of X_u and X_v
/// - `feature_to_neighbours_smaller`, `feature_to_neighbours_larger`: of X_u and (S X)_v, and of X_v and (S X)_u
/// - `neighbours_cosine`: of (S X)_u and (S X)_v.
/// All are 0 where a row has no length. Sparse features stay sparse.
class LinkSimilarities {
 public:
  static constexpr std::array<std::string_view, 4> kNames = {
      "feature_cosine", "feature_to_neighbours_smaller", "feature_to_neighbours_larger", "neighbours_cosine"};

  /// `ties` must outlive it. Dense features should have a mean of 0 and a deviation of 1, or else one column may decide
  /// alone. O(ties * features), or as many as the neighbours have that are not 0. Throws UsageError unless there is a
  /// row for each node, or if S X would be sparse with more than 2^26 entries.
  LinkSimilarities(const Features& features, const graph::Ties& ties);

  /// Of the pairs (sources[i], targets[i]), in whatever order their ends are: [pairs, kNames]. With OwnTie::omit they
  /// are those in the network without the pair's tie, but for rounding. A row depends on its pair alone, to the last
  /// bit, at any number of threads and beside any other pairs. O(features) for each pair, or those of the end of
  /// smaller degree and its neighbours that are not 0. Throws as graph::anchored_pairs.
  Matrix of(std::span<const graph::Node> sources, std::span<const graph::Node> targets,
            graph::OwnTie own_tie = graph::OwnTie::keep) const;

 private:
  const graph::Ties& ties_;
  bool is_sparse_;
  Matrix rows_, means_;                      ///< X and S X.
  SparseMatrix sparse_rows_, sparse_means_;  ///< The same, if they are sparse.
  /// X_v . X_v, X_v . (S X)_v and (S X)_v . (S X)_v of each node.
  std::vector<double> row_lengths_, row_by_mean_, mean_lengths_;
};

}  // namespace edgewise::data
