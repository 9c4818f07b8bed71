#pragma once

#include <string>

namespace edgewise::train {

/// False for errors such as rmse.
bool is_larger_better(const std::string& metric);
/// Whether `value` is better than `than`; NaN is worse than any other.
bool is_better(const std::string& metric, double value, double than);
/// Whether a metric is a share, from 0 to 1: not an error, and not R².
bool is_share(const std::string& metric);

}  // namespace edgewise::train
