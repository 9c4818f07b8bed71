#include "shares_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "chart.hpp"

namespace edgewise::app {
namespace {

constexpr std::size_t kColours = 4;

std::string style_of(std::size_t place) {
  return fmt::format("v{}{}", place % kColours, place < kColours ? "" : " again");
}

/// Adds the point of a model unless its metric is NaN. A single run has no spread.
void add_point(double share, const json::Value& test, Curve& curve) {
  const double mean = test.at("mean").as_number_or_nan(), deviation = test.at("std").as_number_or_nan();
  if (!std::isfinite(mean)) return;
  curve.points.emplace_back(share, mean);
  curve.spreads.push_back(std::isfinite(deviation) ? deviation : 0);
}

}  // namespace

std::string shares_chart(const std::string& dataset, const json::Array& shares) {
  const std::string metric = shares.front().at("metric").as_string();
  Chart chart{.title = fmt::format("{}: test {}", dataset, metric),
              .x_label = "share of the training items",
              .y_label = metric,
              .format_x = [](double share) { return fmt::format("{:g} %", 100 * share); },
              .format_y = [](double value) { return fmt::format("{:.3g}", value); },
              .is_linear = true};
  std::vector<std::pair<double, const json::Value*>> ascending;
  for (const json::Value& share : shares) ascending.emplace_back(share.at("share").as_number(), &share);
  std::ranges::sort(ascending);
  for (const auto& [share, object] : ascending) {
    chart.x_ticks.push_back(share);
    for (const json::Value& model : object->at("models").as_array()) {
      const std::string name = model.at("model").as_string();
      auto curve = std::ranges::find(chart.curves, name, &Curve::label);
      if (curve == chart.curves.end())
        curve = chart.curves.insert(curve, {.label = name, .style = style_of(chart.curves.size()), .points = {}});
      add_point(share, model.at("test"), *curve);
    }
  }
  return draw_alone(chart);
}

}  // namespace edgewise::app
