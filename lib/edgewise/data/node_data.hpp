#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::data {

/// Node features, dense or sparse: [nodes, features]. Exactly one of the two matrices is in use.
struct Features {
  Matrix dense;
  SparseMatrix sparse;
  bool is_sparse = false;
  std::vector<std::string> names;  ///< One a column; empty when the columns have no names.

  std::size_t rows() const { return static_cast<std::size_t>(is_sparse ? sparse.rows() : dense.rows()); }
  std::size_t columns() const { return static_cast<std::size_t>(is_sparse ? sparse.cols() : dense.cols()); }
};

enum class Task {
  classification,  ///< One class a node (softmax).
  multilabel,      ///< Any number of labels a node (sigmoid each).
  regression,      ///< One or more real targets a node.
};

/// What is known of the nodes, and what it is called.
struct Labels {
  Task task = Task::classification;
  std::vector<std::string> names;  ///< Classes, labels or targets.
  std::vector<std::int32_t> classes;  ///< Classification: [nodes], index into `names`, -1 where unknown.
  Matrix targets;  ///< Multi-label (0 or 1) and regression: [nodes, names], NaN where unknown.
};

enum class Role : std::uint8_t { none, train, validation, test };

/// The role of each node.
using Split = std::vector<Role>;

/// All that a node-level job needs, nodes in the order of `graph.names()`.
struct NodeData {
  std::string name;
  graph::Graph graph;
  Features features;
  Labels labels;
  std::vector<Split> splits;  ///< Empty when none was given.
};

}  // namespace edgewise::data
