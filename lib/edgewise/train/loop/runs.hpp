#pragma once

#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {

/// One metric over several runs.
struct Summary {
  double mean = 0;
  double std = 0;  ///< Sample standard deviation (divides by runs - 1); NaN for one run.
  std::vector<double> values;
};

/// The mean and spread of `values`. No values: NaN mean. A NaN value makes both NaN.
Summary summarise(std::vector<double> values);

/// Per metric; the names are those of the first run.
std::vector<std::pair<std::string, Summary>> summarise(const std::vector<Metrics>& runs);

/// {"mean": ..., "std": ..., "values": [...]}. NaN becomes null.
json::Value to_json(const Summary& summary);
/// {"accuracy": {"mean": ..., ...}, ...}.
json::Value to_json(const std::vector<std::pair<std::string, Summary>>& summaries);

/// The median, with the mean of the two middle values for an even count; NaN if empty.
double median(std::vector<double> values);

}  // namespace edgewise::train
