#pragma once

#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// The limit of attention along edges: its reads, and a sum to keep them.
namespace edgewise::bench {

/// Normal random numbers, in large pages where there are many.
Matrix random_table(std::size_t rows, int columns, std::uint64_t seed);

/// Sums the rows that the edges of each destination point at, of one table or of two, prefetched `distance` edges
/// ahead.
class Gather {
 public:
  /// Rows of `columns` floats, of which up to 128 are read.
  Gather(const graph::FrozenGraph& graph, int columns);

  void one_table(int distance);
  void two_tables(int distance);

 private:
  template <int kTables>
  void sum(int distance);

  const graph::FrozenGraph& graph_;
  int columns_;
  std::vector<Matrix> tables_;
  Matrix out_;
};

}  // namespace edgewise::bench
