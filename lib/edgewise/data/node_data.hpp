#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::data {

/// Node features, dense or sparse: [nodes, features]. Exactly one of the two matrices is used.
struct Features {
  Matrix dense;
  SparseMatrix sparse;
  bool is_sparse = false;
  std::vector<std::string> names;  ///< One per column; empty if the columns have no names.

  std::size_t rows() const { return static_cast<std::size_t>(is_sparse ? sparse.rows() : dense.rows()); }
  std::size_t columns() const { return static_cast<std::size_t>(is_sparse ? sparse.cols() : dense.cols()); }
};

enum class Task {
  classification,  ///< One class per node (softmax).
  multilabel,      ///< Any number of labels per node (sigmoid each).
  regression,      ///< One or more real targets per node.
};

/// The labels of the nodes and their names.
struct Labels {
  Task task = Task::classification;
  std::vector<std::string> names;  ///< Classes, labels or targets.
  std::vector<std::int32_t> classes;  ///< Classification: [nodes], index into `names`, -1 where unknown.
  /// Of two classes, the one whose ranking is measured; nothing: the rarer one (see train::positive_class).
  std::optional<std::int32_t> positive = {};
  Matrix targets;  ///< Multi-label (0 or 1) and regression: [nodes, names], NaN where unknown.
  /// Regression with bounds in place of some values: [nodes, names], NaN where there is none, or empty without bounds.
  /// Where there is a bound, the target is NaN.
  Matrix lower_bounds = {};
  Matrix upper_bounds = {};

  /// How much each node counts in the loss; empty: all alike.
  std::vector<float> weights = {};
  /// Whether predictions of classes and labels are usually judged by how they rank the items, as those of molecules
  /// are.
  bool are_ranked = false;

  bool has_bounds() const { return lower_bounds.size() > 0; }
  /// Whether anything is known about a target of a node (multi-label and regression): its value, or a bound of it.
  bool is_known(graph::Node node, Eigen::Index target) const {
    const auto known = [&](const Matrix& values) {
      return values.size() > 0 && values(node, target) == values(node, target);
    };
    return known(targets) || known(lower_bounds) || known(upper_bounds);
  }
  /// Whether anything is known about one target of a node at least.
  bool is_known(graph::Node node) const {
    for (Eigen::Index target = 0; target < targets.cols(); ++target)
      if (is_known(node, target)) return true;
    return false;
  }
};

enum class Role : std::uint8_t { none, train, validation, test };

/// The role of each node.
using Split = std::vector<Role>;

/// Everything a node-level job needs, with nodes in the order of `graph.names()`.
struct NodeData {
  std::string name;
  graph::Graph graph;
  Features features;
  Labels labels;
  std::vector<Split> splits;  ///< Empty if none was given.
};

}  // namespace edgewise::data
