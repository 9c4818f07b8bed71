#include <fmt/format.h>

#include <algorithm>

#include "bench/page.hpp"

namespace edgewise::app {

using attention::Variant;

namespace {

constexpr const char* kOurs = "sparse_fused";

/// The measured variants of a row, fastest first.
std::vector<const Measurement*> by_time(const Row& row) {
  std::vector<const Measurement*> measured;
  for (const Measurement& measurement : row.measurements)
    if (measurement.is_measured()) measured.push_back(&measurement);
  std::ranges::stable_sort(measured, {}, &Measurement::median_ms);
  return measured;
}

/// Of one graph: the fastest variant beside the next.
std::string answer_of(const Row& row, const std::string& graph) {
  const std::vector<const Measurement*> measured = by_time(row);
  const char* call = row.pass == Pass::training ? "A training call" : "A forward call";
  if (measured.empty()) return fmt::format("{} on {} was too large for every variant.", call, graph);
  const Measurement& first = *measured.front();
  std::string text = fmt::format("{} on {} ({} nodes) takes {} with {}", call, graph, row.nodes,
                                 format_time(first.median_ms), attention::name(first.variant));
  if (measured.size() < 2) return text + ".";
  const Measurement& next = *measured[1];
  return text + fmt::format(", {:.3g} times as fast as with {}, the next of {}.", next.median_ms / first.median_ms,
                            attention::name(next.variant), measured.size());
}

/// How often ours is the fastest, over the rows in which it has company.
std::string count_of_wins(const BenchReport& report) {
  std::size_t rows = 0, wins = 0;
  for (const Row& row : report.rows) {
    const std::vector<const Measurement*> measured = by_time(row);
    if (measured.size() < 2 || row.find(Variant::sparse_fused) == nullptr) continue;
    ++rows;
    wins += measured.front()->variant == Variant::sparse_fused ? 1 : 0;
  }
  if (rows == 0) return "No two variants were measured on the same mask.";
  return fmt::format("{} is the fastest in {} of {} rows", kOurs, wins, rows);
}

/// Where a dense variant gets ahead in a training call on the largest masks.
std::string largest_crossover(const BenchReport& report) {
  const Crossover* largest = nullptr;
  for (const Crossover& crossover : report.crossovers) {
    if (crossover.metric != Metric::time || crossover.pass != Pass::training) continue;
    if (crossover.verdict == "not measured") continue;
    const auto density = [](const Crossover& one) {
      return one.density.value_or(one.verdict.starts_with("dense") ? 0.0 : 2.0);
    };
    if (largest == nullptr || crossover.nodes > largest->nodes ||
        (crossover.nodes == largest->nodes && density(crossover) < density(*largest)))
      largest = &crossover;
  }
  if (largest == nullptr) return ".";
  const std::string what = fmt::format("; in a training call on {} nodes ", largest->nodes);
  if (largest->density)
    return what + fmt::format("{} is ahead from {} of all pairs on.", attention::name(largest->dense),
                              format_density(*largest->density));
  return what + (largest->verdict.starts_with("dense")
                     ? fmt::format("{} is ahead at every density measured.", attention::name(largest->dense))
                     : "no dense variant is ahead at any density measured.");
}

}  // namespace

std::string answer_of(const BenchReport& report) {
  if (report.graph.empty()) {
    const std::string wins = count_of_wins(report);
    return wins.ends_with('.') ? wins : wins + largest_crossover(report);
  }
  return answer_of(report.rows.back(), report.graph);
}

}  // namespace edgewise::app
