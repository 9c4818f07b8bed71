#include "results.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "edgewise/io/predictions.hpp"

namespace edgewise::app {

namespace {

/// What is not a number is left empty in the files.
void blank(Matrix& values, std::size_t row) {
  if (values.size() > 0)
    values.row(static_cast<Eigen::Index>(row)).setConstant(std::numeric_limits<float>::quiet_NaN());
}

/// Rows of molecules keep their SMILES and say why there is no prediction.
void describe_graphs(const train::GraphItems& graphs, io::Predictions& table) {
  table.key = graphs.are_molecules ? "row" : "graph";
  if (!graphs.are_molecules) return;
  for (std::size_t row = 0; row < graphs.problems.size(); ++row) {
    if (graphs.problems[row].empty()) continue;
    blank(table.values, row);
    blank(table.deviations, row);
  }
  table.before.push_back({"smiles", graphs.smiles});
  table.after.push_back({"problem", graphs.problems});
}

}  // namespace

std::string format_metric(double value) { return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-"; }

std::string format_summary(const json::Value& summary) {
  const json::Value& mean = summary.at("mean");
  if (!mean.is_number() || !std::isfinite(mean.as_number())) return "-";
  if (summary.at("values").as_array().size() < 2) return format_metric(mean.as_number());
  return fmt::format("{} ± {}", format_metric(mean.as_number()), format_metric(summary.at("std").as_number()));
}

void write_predictions_of(const std::string& path, const train::JobData& data, data::Task task,
                          const std::vector<std::string>& names, const Matrix& predictions,
                          const Matrix& deviations) {
  io::Predictions table;
  table.columns = names;
  table.values = predictions;
  table.deviations = deviations;
  if (data.graphs) describe_graphs(*data.graphs, table);
  table.kind = task == data::Task::classification ? io::PredictionKind::classes
               : task == data::Task::multilabel   ? io::PredictionKind::labels
                                                      : io::PredictionKind::numbers;
  io::write_predictions(path, data.items(), table);
}

}  // namespace edgewise::app
