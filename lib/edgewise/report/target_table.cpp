#include "edgewise/report/target_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/report/metric_text.hpp"
#include "edgewise/train/loop/runs.hpp"

namespace edgewise::report {
void TargetTable::add_run(const std::string& part, const std::vector<train::TargetMetrics>& targets) {
  if (targets.empty()) return;
  auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Part& one) { return one.name == part; });
  if (found == parts_.end()) found = parts_.insert(parts_.end(), Part{part, {}});
  found->targets.resize(targets.size());
  names_.clear();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    names_.push_back(targets[i].target);
    found->targets[i].push_back(targets[i].metrics);
  }
}

json::Value TargetTable::to_json() const {
  json::Array rows;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    json::Value row;
    row.set("target", names_[i]);
    for (const Part& part : parts_) {
      if (!part.name.empty()) {
        row.set(part.name, train::to_json(train::summarise(part.targets[i])));
        continue;
      }
      const json::Value metrics = train::to_json(part.targets[i].front());
      for (const auto& [name, value] : metrics.as_object()) row.set(name, value);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string TargetTable::to_text() const {
  const Part& part = parts_.back();
  const std::size_t width = width_of(names_);
  std::string text = fmt::format("{:<{}}", part.name.empty() ? "target" : fmt::format("target, {}", part.name), width);
  for (const auto& [name, value] : part.targets.front().front()) text += fmt::format("{:>20}", name);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    text += fmt::format("\n{:<{}}", names_[i], width);
    const json::Value metrics = train::to_json(train::summarise(part.targets[i]));
    for (const auto& [name, summary] : metrics.as_object()) text += fmt::format("{:>20}", format_summary(summary));
  }
  return text;
}

}  // namespace edgewise::report
