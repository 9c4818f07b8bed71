#pragma once

#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// The lower bound of attention along edges: only its reads, and a sum so that they are not optimised away.
namespace edgewise::bench {

/// Normally distributed random numbers, on large pages if there are many.
Matrix random_table(std::size_t rows, int columns, std::uint64_t seed);

/// Sums, for each destination, the rows of one or two tables that its edges point at, prefetched `distance` edges
/// ahead.
class Gather {
 public:
  /// Rows have `columns` floats, of which at most 128 are read.
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
