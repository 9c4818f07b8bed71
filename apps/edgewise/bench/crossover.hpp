#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/attention.hpp"

namespace edgewise::app {

enum class Metric { time, memory };
const char* name(Metric metric);

/// From which density on a dense variant is ahead of `sparse_fused`.
struct Crossover {
  std::size_t nodes = 0;
  Pass pass = Pass::forward;
  Metric metric = Metric::time;
  attention::Variant dense = attention::Variant::dense_tiled;
  /// Where the two curves cross, straight lines between what was measured, both axes logarithmic. Nothing when they do
  /// not. Where they cross more than once, the last time.
  std::optional<double> density;
  std::string verdict;  ///< "crosses", "sparse ahead throughout", "dense ahead throughout" or "not measured".
};

/// The median time in milliseconds, or the peak memory in bytes (at least a page); nothing when it was not measured.
std::optional<double> value_of(const Measurement* measurement, Metric metric);

/// For every number of nodes, pass and metric, of each dense variant; rows of one number of nodes by ascending density.
std::vector<Crossover> find_crossovers(const std::vector<Row>& rows);

}  // namespace edgewise::app
