#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"

namespace edgewise::train {

/// A node of a decision tree; its children stand behind it in their tree.
struct TreeNode {
  std::int32_t column = kLeaf;  ///< That it asks for, or kLeaf.
  float value = 0;              ///< The least that goes to `above`; of a leaf, what it adds.
  std::uint32_t below = 0;      ///< The child, by its place in the tree, of what is less than `value`,
  std::uint32_t above = 0;      ///< of what is not,
  std::uint32_t missing = 0;    ///< and of rows without an entry in the column: one of the two.

  static constexpr std::int32_t kLeaf = -1;
};

/// Sums of decision trees: what gradient boosting makes of its training.
class TreeMap {
 public:
  /// For rows of `columns` columns. Throws ModelError when there are none, or more than 2^20.
  explicit TreeMap(std::size_t columns);

  /// Appends an output with this bias and no trees yet.
  void add_output(double bias);
  /// One more tree of an output that is there. Throws ModelError for a tree without nodes, a column that there is not,
  /// children that do not stand behind their node, and what is not finite.
  void add_tree(std::size_t output, std::span<const TreeNode> tree);

  std::size_t outputs() const { return biases_.size(); }

  /// [rows, outputs()]: biases, and what the trees of each output add for the row. Entries that are not stored are
  /// missing. The same bits at any number of threads. Throws ModelError for another number of columns.
  Matrix apply(const SparseMatrix& rows) const;

  json::Value to_json() const;
  /// Throws ModelError when `value` was not made by `to_json`.
  static TreeMap from_json(const json::Value& value);

 private:
  struct Tree {
    std::size_t output, begin, end;  // of nodes_
  };

  /// `row` has an entry for each column, NaN where it is missing.
  void add_leaves(const float* row, Eigen::Ref<Eigen::RowVectorXd> sums) const;

  std::size_t columns_;
  std::vector<double> biases_;
  std::vector<Tree> trees_;
  std::vector<TreeNode> nodes_;
};

}  // namespace edgewise::train
