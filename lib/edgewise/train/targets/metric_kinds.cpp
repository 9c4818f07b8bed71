#include "edgewise/train/targets/metric_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

constexpr std::array kTextMetrics = {
    MetricKind{"sequence_accuracy", MetricUnit::share, MetricVariance::items, MetricUse::reported},
    MetricKind{"word_error_rate", MetricUnit::error, MetricVariance::items, MetricUse::reported},
    MetricKind{"bleu", MetricUnit::score, MetricVariance::items, MetricUse::reported},
};

const MetricKind* find_metric(std::span<const MetricKind> among, std::string_view name) {
  const auto found = std::ranges::find(among, name, &MetricKind::name);
  return found == among.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> metric_names(const data::Labels& labels) {
  std::vector<std::string> names;
  for (const MetricKind& kind : target_of(labels).metrics())
    if (kind.use == MetricUse::always || (kind.use == MetricUse::several && labels.names.size() > 1))
      names.emplace_back(kind.name);
  return names;
}

const MetricKind& metric_kind(std::string_view metric) {
  for (const Target* target : all_targets())
    if (const MetricKind* found = find_metric(target->metrics(), metric)) return *found;
  if (const MetricKind* found = find_metric(kTextMetrics, metric)) return *found;
  throw UsageError(fmt::format("there is no metric \"{}\"", metric));
}

bool higher_is_better(std::string_view metric) { return metric_kind(metric).unit != MetricUnit::error; }

bool is_better(std::string_view metric, double value, double than) {
  if (std::isnan(value) || std::isnan(than)) return !std::isnan(value) && std::isnan(than);
  return higher_is_better(metric) ? value > than : value < than;
}

bool is_share(std::string_view metric) { return metric_kind(metric).unit == MetricUnit::share; }

}  // namespace edgewise::train
