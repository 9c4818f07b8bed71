#include "edgewise/train/loop/metric_kinds.hpp"

#include <cmath>

namespace edgewise::train {

bool is_larger_better(const std::string& metric) {
  return metric != "mae" && metric != "rmse" && metric != "relative_rmse";
}

bool is_better(const std::string& metric, double value, double than) {
  if (std::isnan(value) || std::isnan(than)) return !std::isnan(value) && std::isnan(than);
  return is_larger_better(metric) ? value > than : value < than;
}

bool is_share(const std::string& metric) { return is_larger_better(metric) && metric != "r2"; }

}  // namespace edgewise::train
