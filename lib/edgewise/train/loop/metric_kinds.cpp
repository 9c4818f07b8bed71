#include "edgewise/train/loop/metric_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/data/node_data.hpp"

namespace edgewise::train {
namespace {

constexpr std::array kKinds = {
    MetricKind{"accuracy", MetricUnit::share, MetricVariance::items},
    MetricKind{"f1", MetricUnit::share, MetricVariance::items, MetricLabels::reported},
    MetricKind{"macro_f1", MetricUnit::share, MetricVariance::items},
    MetricKind{"micro_f1", MetricUnit::share, MetricVariance::items},
    MetricKind{"roc_auc", MetricUnit::share, MetricVariance::pairs},
    MetricKind{"average_precision", MetricUnit::share, MetricVariance::positives},
    MetricKind{"mae", MetricUnit::error, MetricVariance::deviation, MetricLabels::target},
    MetricKind{"rmse", MetricUnit::error, MetricVariance::deviation, MetricLabels::target},
    MetricKind{"r2", MetricUnit::fit, MetricVariance::deviation, MetricLabels::target},
    MetricKind{"relative_rmse", MetricUnit::error, MetricVariance::deviation, MetricLabels::targets},
    MetricKind{"bounds_held", MetricUnit::share, MetricVariance::items, MetricLabels::reported},
    MetricKind{"sequence_accuracy", MetricUnit::share, MetricVariance::items, MetricLabels::reported},
    MetricKind{"word_error_rate", MetricUnit::error, MetricVariance::items, MetricLabels::reported},
    MetricKind{"bleu", MetricUnit::score, MetricVariance::items, MetricLabels::reported},
};

bool suits(const MetricKind& kind, const data::Labels& labels) {
  switch (kind.labels) {
    case MetricLabels::classes:
      return !labels.has_numbers();
    case MetricLabels::target:
      return labels.has_numbers();
    case MetricLabels::targets:
      return labels.has_numbers() && labels.names.size() > 1;
    case MetricLabels::reported:
      break;
  }
  return false;
}

}  // namespace

std::vector<std::string> metric_names(const data::Labels& labels) {
  std::vector<std::string> names;
  for (const MetricKind& kind : kKinds)
    if (suits(kind, labels)) names.emplace_back(kind.name);
  return names;
}

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
