#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/attention.hpp"

namespace edgewise::app {

enum class Metric { time, memory };
const char* name(Metric metric);

/// The density from which a dense variant is ahead of `sparse_fused`.
struct Crossover {
  std::size_t nodes = 0;
  Pass pass = Pass::forward;
  Metric metric = Metric::time;
  attention::Variant dense = attention::Variant::dense_tiled;
  /// Where the two curves cross, interpolated linearly with both axes logarithmic. Nothing if they do not cross. If
  /// they cross more than once, the last crossing.
  std::optional<double> density;
  std::string verdict;  ///< "crosses", "sparse ahead throughout", "dense ahead throughout" or "not measured".
};

/// The median time in milliseconds, or the peak memory in bytes (at least a page); nothing if not measured.
std::optional<double> value_of(const Measurement* measurement, Metric metric);

/// The crossovers for every number of nodes, pass, metric and dense variant. Rows with the same number of nodes must be
/// in order of ascending density.
std::vector<Crossover> find_crossovers(const std::vector<Row>& rows);

}  // namespace edgewise::app
