#include "bench/crossover.hpp"

#include <algorithm>
#include <cmath>

namespace edgewise::app {

using attention::Variant;

namespace {

constexpr double kPage = 4096;  // memory is counted in pages

/// log(sparse / dense) over log(density): the sparse variant is ahead below 0.
struct Point {
  double log_density;
  double advantage;
};

std::vector<Point> compare(const std::vector<Row>& rows, const Crossover& of) {
  std::vector<Point> points;
  for (const Row& row : rows) {
    if (row.nodes != of.nodes || row.pass != of.pass || !(row.density > 0)) continue;
    const std::optional<double> sparse = value_of(row.find(Variant::sparse_fused), of.metric);
    const std::optional<double> dense = value_of(row.find(of.dense), of.metric);
    if (sparse && dense) points.push_back({std::log(row.density), std::log(*sparse / *dense)});
  }
  return points;
}

void decide(Crossover& crossover, const std::vector<Point>& points) {
  crossover.verdict = points.empty()                   ? "not measured"
                      : points.back().advantage <= 0 ? "sparse ahead throughout"
                                                       : "dense ahead throughout";
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point& a = points[i - 1];
    const Point& b = points[i];
    if ((a.advantage <= 0) == (b.advantage <= 0)) continue;
    const double share = a.advantage / (a.advantage - b.advantage);
    crossover.density = std::exp(a.log_density + share * (b.log_density - a.log_density));
    crossover.verdict = "crosses";
  }
}

}  // namespace

const char* name(Metric metric) { return metric == Metric::time ? "time" : "memory"; }

std::optional<double> value_of(const Measurement* measurement, Metric metric) {
  if (measurement == nullptr) return std::nullopt;
  if (metric == Metric::time) return measurement->median_ms;
  if (!measurement->peak_bytes) return std::nullopt;
  return std::max(kPage, static_cast<double>(*measurement->peak_bytes));
}

std::vector<Crossover> find_crossovers(const std::vector<Row>& rows) {
  std::vector<std::size_t> sizes;
  std::vector<Variant> variants;
  for (const Row& row : rows) {
    if (std::find(sizes.begin(), sizes.end(), row.nodes) == sizes.end()) sizes.push_back(row.nodes);
    for (const Measurement& measurement : row.measurements)
      if (std::find(variants.begin(), variants.end(), measurement.variant) == variants.end())
        variants.push_back(measurement.variant);
  }
  const auto has = [&](Variant v) { return std::find(variants.begin(), variants.end(), v) != variants.end(); };
  std::vector<Crossover> crossovers;
  if (!has(Variant::sparse_fused)) return crossovers;
  for (const Variant dense : {Variant::dense_tiled, Variant::dense_masked}) {
    if (!has(dense)) continue;
    for (const Metric metric : {Metric::time, Metric::memory})
      for (const Pass pass : {Pass::forward, Pass::training})
        for (const std::size_t nodes : sizes) {
          Crossover crossover{nodes, pass, metric, dense, std::nullopt, ""};
          decide(crossover, compare(rows, crossover));
          crossovers.push_back(std::move(crossover));
        }
  }
  return crossovers;
}

}  // namespace edgewise::app
