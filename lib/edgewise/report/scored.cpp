#include "edgewise/report/scored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "edgewise/train/loop/curves.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::report {

const char* noun_of(const train::Dataset& data) {
  if (data.edges) return "edges";
  if (data.links) return "ties";
  if (!data.graphs) return "nodes";
  if (data.graphs->mixtures) return "mixtures";
  return data.graphs->are_reactions ? "reactions" : data.graphs->are_molecules ? "molecules" : "graphs";
}

std::string items_of(const Scored& scored) {
  std::string noun = noun_of(scored.data);
  if (scored.items.size() == 1) noun.pop_back();
  return fmt::format("{} {}{}", scored.items.size(), scored.part == "all" ? "" : scored.part + " ", noun);
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
