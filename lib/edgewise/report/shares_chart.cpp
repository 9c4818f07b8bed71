#include "edgewise/report/shares_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace edgewise::report {
namespace {

/// Adds the point of a model unless its metric is NaN. A single run has no spread.
void add_point(double share, const json::Value& test, Series& curve) {
  const double mean = test.at("mean").as_number_or_nan(), deviation = test.at("std").as_number_or_nan();
  if (!std::isfinite(mean)) return;
  curve.points.emplace_back(share, mean);
  curve.spreads.push_back(std::isfinite(deviation) ? deviation : 0);
}

}  // namespace

Chart shares_chart(const std::string& dataset, const json::Array& shares) {
  const std::string metric = shares.front().at("metric").as_string();
  Chart chart{.title = fmt::format("{}: test {}", dataset, metric),
              .x = {"share of the training items", [](double share) { return fmt::format("{:g} %", 100 * share); },
                    Scale::logarithmic},
              .y = {metric, [](double value) { return fmt::format("{:.3g}", value); }}};
  std::vector<std::pair<double, const json::Value*>> ascending;
  for (const json::Value& share : shares) ascending.emplace_back(share.at("share").as_number(), &share);
  std::ranges::sort(ascending);
  for (const auto& [share, object] : ascending) {
    chart.x.ticks.push_back(share);
    for (const json::Value& model : object->at("models").as_array()) {
      const std::string name = model.at("model").as_string();
      auto curve = std::ranges::find(chart.series, name, &Series::label);
      if (curve == chart.series.end())
        curve = chart.series.insert(curve, {.label = name,
                                            .style = series_style(chart.series.size()),
                                            .points = {},
                                            .drawn = Drawn::points});
      add_point(share, model.at("test"), *curve);
    }
  }
  for (const Series& curve : chart.series)
    if (!curve.points.empty())
      chart.description +=
          fmt::format("{}{}: {:.3g} with {:g} %, {:.3g} with {:g} %", chart.description.empty() ? "" : "; ",
                      curve.label, curve.points.front().second, 100 * curve.points.front().first,
                      curve.points.back().second, 100 * curve.points.back().first);
  return chart;
}

}  // namespace edgewise::report
