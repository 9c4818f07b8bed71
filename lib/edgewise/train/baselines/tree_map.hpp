#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"

namespace edgewise::train {

/// A node of a decision tree. Children come after their parent.
struct TreeNode {
  std::int32_t column = kLeaf;  ///< The column to split on, or kLeaf.
  float value = 0;              ///< Smallest value that goes to `above`; for a leaf, its contribution.
  std::uint32_t below = 0;      ///< Index in the tree of the child for values less than `value`,
  std::uint32_t above = 0;      ///< for other values,
  std::uint32_t missing = 0;    ///< and for rows without an entry in the column: one of the two.

  static constexpr std::int32_t kLeaf = -1;
};

/// Sums of decision trees, the result of gradient boosting.
class TreeMap {
 public:
  /// For rows with `columns` columns. Throws ModelError if there are none, or more than 2^20.
  explicit TreeMap(std::size_t columns);

  /// Appends an output with this bias and no trees yet.
  void add_output(double bias);
  /// Appends a tree to an existing output. Throws ModelError for a tree without nodes, a column that does not exist,
  /// children that do not come after their parent, and non-finite values.
  void add_tree(std::size_t output, std::span<const TreeNode> tree);

  std::size_t outputs() const { return biases_.size(); }

  /// [rows, outputs()]: biases plus the contributions of each output's trees. Entries that are not stored are missing.
  /// Bitwise identical at any number of threads. Throws ModelError if the number of columns differs.
  Matrix apply(const SparseMatrix& rows) const;

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static TreeMap from_json(const json::Value& value);

 private:
  struct Tree {
    std::size_t output, begin, end;  // of nodes_
    std::size_t depth;
  };
  /// A node as it is walked through without a branch: a leaf leads to itself, so that many rows go down side by side.
  struct Step {
    std::uint32_t column;
    float value;
    std::uint64_t children;  ///< Above, and in the upper half below.
    bool missing_is_below;

    std::uint32_t next(const float* row) const {
      const float entry = row[column];
      const bool is_below = (entry < value) | (missing_is_below & std::isnan(entry));
      return static_cast<std::uint32_t>(children >> (is_below ? 32 : 0));
    }
  };

  /// Adds the leaf of each row of `rows`, [rows of sums, columns], NaN for missing entries, in each tree.
  void add_leaves(const float* rows, Eigen::Ref<Eigen::MatrixXd> sums) const;

  std::size_t columns_;
  std::vector<double> biases_;
  std::vector<Tree> trees_;
  std::vector<TreeNode> nodes_;
  std::vector<Step> steps_;  ///< Of nodes_.
};

}  // namespace edgewise::train
