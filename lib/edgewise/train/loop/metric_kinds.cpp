#include "edgewise/train/loop/metric_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "edgewise/core/error.hpp"

namespace edgewise::train {
namespace {

constexpr std::array kKinds = {
    MetricKind{"accuracy", MetricUnit::share, MetricVariance::items},
    MetricKind{"f1", MetricUnit::share, MetricVariance::items},
    MetricKind{"macro_f1", MetricUnit::share, MetricVariance::items},
    MetricKind{"micro_f1", MetricUnit::share, MetricVariance::items},
    MetricKind{"roc_auc", MetricUnit::share, MetricVariance::pairs},
    MetricKind{"average_precision", MetricUnit::share, MetricVariance::positives},
    MetricKind{"mae", MetricUnit::error, MetricVariance::deviation},
    MetricKind{"rmse", MetricUnit::error, MetricVariance::deviation},
    MetricKind{"relative_rmse", MetricUnit::error, MetricVariance::deviation},
    MetricKind{"r2", MetricUnit::fit, MetricVariance::deviation},
};

}  // namespace

const MetricKind& metric_kind(std::string_view metric) {
  const auto found = std::ranges::find(kKinds, metric, &MetricKind::name);
  if (found == kKinds.end()) throw UsageError(fmt::format("there is no metric \"{}\"", metric));
  return *found;
}

bool is_larger_better(std::string_view metric) { return metric_kind(metric).unit != MetricUnit::error; }

bool is_better(std::string_view metric, double value, double than) {
  if (std::isnan(value) || std::isnan(than)) return !std::isnan(value) && std::isnan(than);
  return is_larger_better(metric) ? value > than : value < than;
}

bool is_share(std::string_view metric) { return metric_kind(metric).unit == MetricUnit::share; }

}  // namespace edgewise::train
