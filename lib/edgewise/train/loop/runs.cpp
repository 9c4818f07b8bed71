#include "edgewise/train/loop/runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace edgewise::train {

Summary summarise(std::vector<double> values) {
  Summary summary;
  summary.values = std::move(values);
  const auto count = static_cast<double>(summary.values.size());
  double sum = 0;
  for (const double value : summary.values) sum += value;
  summary.mean = sum / count;  // 0 / 0, which is NaN, if there are none
  double squares = 0;
  for (const double value : summary.values) squares += (value - summary.mean) * (value - summary.mean);
  summary.std = count > 1 ? std::sqrt(squares / (count - 1)) : std::numeric_limits<double>::quiet_NaN();
  return summary;
}

std::vector<std::pair<std::string, Summary>> summarise(const std::vector<Metrics>& runs) {
  std::vector<std::pair<std::string, Summary>> summaries;
  if (runs.empty()) return summaries;
  for (const auto& [name, first] : runs.front()) {
    std::vector<double> values;
    for (const Metrics& run : runs) values.push_back(metric(run, name));
    summaries.emplace_back(name, summarise(std::move(values)));
  }
  return summaries;
}

json::Value to_json(const Summary& summary) {
  return json::Object{{"mean", summary.mean}, {"std", summary.std}, {"values", summary.values}};
}

json::Value to_json(const std::vector<std::pair<std::string, Summary>>& summaries) {
  json::Value value{json::Object{}};
  for (const auto& [name, summary] : summaries) value.set(name, to_json(summary));
  return value;
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace edgewise::train
