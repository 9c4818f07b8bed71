#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::report {

/// The metrics of each target or label, over one or more runs.
class TargetTable {
 public:
  /// `part` is "validation", "test", or "" if there is only one part. Does nothing if `targets` is empty.
  void add_run(const std::string& part, const std::vector<train::TargetMetrics>& targets);
  bool empty() const { return parts_.empty(); }

  /// [{"target": "logS", "test": {"mae": {"mean", "std", "values"}, ...}, ...}]; without parts just the numbers.
  json::Value to_json() const;
  /// One row per target and one column per metric of the last part.
  std::string to_text() const;

 private:
  struct Part {
    std::string name;
    std::vector<std::vector<train::Metrics>> targets;  // [target][run]
  };

  std::vector<std::string> names_;
  std::vector<Part> parts_;
};

}  // namespace edgewise::report
