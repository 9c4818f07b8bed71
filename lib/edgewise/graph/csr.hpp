#pragma once

#include <span>
#include <vector>

#include "edgewise/graph/graph.hpp"

namespace edgewise::graph {

/// Compressed sparse rows: the columns of row r are columns[offsets[r]] ... columns[offsets[r + 1] - 1].
struct Csr {
  std::vector<EdgeIndex> offsets = {0};
  std::vector<Node> columns;

  std::size_t rows() const { return offsets.size() - 1; }
  std::size_t slots() const { return columns.size(); }
  std::span<const Node> row(std::size_t r) const {
    return {columns.data() + offsets[r], columns.data() + offsets[r + 1]};
  }
};

}  // namespace edgewise::graph
