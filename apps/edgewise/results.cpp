#include "results.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "edgewise/io/predictions.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/source/label_columns.hpp"

namespace edgewise::app {

int decimals_of(double value) {
  const double size = std::abs(value);
  return size < 1e3 ? 4 : size < 1e6 ? 1 : 0;
}

std::string format_metric(double value) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals_of(value)) : "-";
}

std::size_t width_of(const std::vector<std::string>& names) {
  std::size_t width = 24;
  for (const std::string& name : names) width = std::max(width, name.size() + 2);
  return width;
}

std::string format_summary(const json::Value& summary) {
  const json::Value& mean = summary.at("mean");
  if (!mean.is_number() || !std::isfinite(mean.as_number())) return "-";
  if (summary.at("values").as_array().size() < 2) return format_metric(mean.as_number());
  const int decimals = decimals_of(mean.as_number());
  return fmt::format("{:.{}f} ± {:.{}f}", mean.as_number(), decimals, summary.at("std").as_number(), decimals);
}

std::vector<io::TextColumn> known_columns_of(const train::TrainedModel& trained, const train::DataConfig& config,
                                             train::Dataset& data) {
  const std::vector<std::string>& labels = train::label_columns_of(trained, config);
  train::prepare_known_labels(labels, trained.label_names, trained.task, config, data.table);
  if (labels != trained.data.label)
    for (const std::string& column : labels) data.table.at(column);  // throws, listing the columns
  data.labels = train::labels_for(trained, data, labels);
  return known_and_split(data, labels, train::training_split(trained, data));
}

std::vector<io::TextColumn> known_and_split(const train::Dataset& data, const std::vector<std::string>& labels,
                                            const std::optional<data::Split>& split) {
  std::vector<io::TextColumn> columns = train::known_columns(data, labels);
  if (split) columns.push_back(train::split_text(*split));
  return columns;
}

void write_predictions_of(const std::string& path, const train::Dataset& data, data::Task task,
                          const std::vector<std::string>& names, const Matrix& predictions, const Matrix& deviations,
                          train::ExtraColumns extra) {
  io::write_predictions(path, data.items(),
                        train::prediction_table(data, task, names, predictions, deviations, std::move(extra)));
}

}  // namespace edgewise::app
