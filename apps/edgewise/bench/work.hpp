#pragma once

#include <string>

#include "bench/attention.hpp"

namespace edgewise::app {

/// What a variant has to do at least, whatever its implementation.
struct Work {
  double operations = 0;        ///< Of floats: the products that score, weigh and sum, and those of their gradients.
  double gathered_bytes = 0;    ///< Rows of other nodes, read at random, one an edge; 0 when all pairs are made.
  std::size_t row_bytes = 0;    ///< Of a gathered row.
  std::size_t table_bytes = 0;  ///< Of all rows that are gathered from.
};

Work work_of(const Row& row, attention::Variant variant, const BenchOptions& options);

/// Edges, or pairs of nodes, times columns: what the time of a variant grows with.
double units_of(const Row& row, attention::Variant variant, const BenchOptions& options);

/// The working set, from the sizes of the matrices that the variant keeps.
double estimate_bytes(const Row& row, attention::Variant variant, const BenchOptions& options);

bool is_dense(attention::Variant variant);

/// "512 B", "4.3 GiB".
std::string format_bytes(double bytes);

}  // namespace edgewise::app
