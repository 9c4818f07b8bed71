#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/labels.hpp"
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
