#include "edgewise/report/scored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "edgewise/train/loop/curves.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::report {

std::string items_of(const Scored& scored) {
  return fmt::format("{} {}{}", scored.items.size(), scored.part == "all" ? "" : scored.part + " ",
                     scored.data.noun().of(scored.items.size()));
}

std::vector<std::size_t> shown_columns(const Scored& scored) {
  const data::Labels& labels = scored.labels;
  if (train::has_positive_class(labels)) return {static_cast<std::size_t>(train::positive_class(labels))};
  std::vector<std::size_t> columns(labels.names.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  if (!labels.has_numbers()) {
    const std::vector<std::int64_t> counts = train::positive_counts(labels, scored.items);
    std::ranges::stable_sort(columns, [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  }
  columns.resize(std::min(columns.size(), kMostCurves));
  std::ranges::sort(columns);
  return columns;
}

}  // namespace edgewise::report
