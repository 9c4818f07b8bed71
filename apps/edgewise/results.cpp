#include "results.hpp"

#include <fmt/format.h>

#include <cmath>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/io/predictions.hpp"

namespace edgewise::app {

std::string format_metric(double value) { return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-"; }

std::string format_summary(const json::Value& summary) {
  const json::Value& mean = summary.at("mean");
  if (!mean.is_number() || !std::isfinite(mean.as_number())) return "-";
  if (summary.at("values").as_array().size() < 2) return format_metric(mean.as_number());
  return fmt::format("{} ± {}", format_metric(mean.as_number()), format_metric(summary.at("std").as_number()));
}

void check_predictions_path(const std::string& path) {
  io::predictions_format(path);
  check_writable(path);
}

void write_predictions_of(const std::string& path, const graph::NodeNames& nodes, data::Task task,
                          const std::vector<std::string>& names, const Matrix& predictions) {
  io::Predictions table;
  table.columns = names;
  table.values = predictions;
  table.kind = task == data::Task::classification ? io::PredictionKind::classes
               : task == data::Task::multilabel   ? io::PredictionKind::labels
                                                      : io::PredictionKind::numbers;
  io::write_predictions(path, nodes, table);
}

}  // namespace edgewise::app
