#pragma once

#include <string>

#include "bench/attention.hpp"

namespace edgewise::app {

/// The minimum work of a variant, whatever its implementation.
struct Work {
  double operations = 0;        ///< Floating-point operations for scores, weighted sums and their gradients.
  double gathered_bytes = 0;    ///< Rows of other nodes, read in random order, one per edge; 0 for all pairs.
  std::size_t row_bytes = 0;    ///< Size of a gathered row.
  std::size_t table_bytes = 0;  ///< Size of the table that rows are gathered from.
};

Work work_of(const Row& row, attention::Variant variant, const BenchOptions& options);

/// Edges, or pairs of nodes, times columns. The time of a variant is proportional to this.
double units_of(const Row& row, attention::Variant variant, const BenchOptions& options);

/// The working set, estimated from the sizes of the matrices that the variant keeps.
double estimate_bytes(const Row& row, attention::Variant variant, const BenchOptions& options);

bool is_dense(attention::Variant variant);

/// "512 B", "4.3 GiB".
std::string format_bytes(double bytes);

}  // namespace edgewise::app
