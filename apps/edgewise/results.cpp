#include "results.hpp"

#include <fmt/format.h>

#include "edgewise/io/predictions.hpp"

namespace edgewise::app {

std::string format_summary(const json::Value& summary) {
  const json::Value& mean = summary.at("mean");
  if (!mean.is_number()) return "-";
  if (summary.at("values").as_array().size() < 2) return fmt::format("{:.4f}", mean.as_number());
  return fmt::format("{:.4f} ± {:.4f}", mean.as_number(), summary.at("std").as_number());
}

void write_predictions_of(const std::string& path, const graph::NodeNames& nodes, data::NodeTask task,
                          const std::vector<std::string>& names, const Matrix& predictions) {
  io::Predictions table;
  table.columns = names;
  table.values = predictions;
  table.kind = task == data::NodeTask::classification ? io::PredictionKind::classes
               : task == data::NodeTask::multilabel   ? io::PredictionKind::labels
                                                      : io::PredictionKind::numbers;
  io::write_predictions(path, nodes, table);
}

}  // namespace edgewise::app
