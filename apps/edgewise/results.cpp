#include "results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "edgewise/io/predictions.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/source/label_columns.hpp"

namespace edgewise::app {

namespace {

bool has_column(const std::vector<io::TextColumn>& columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(), [&](const io::TextColumn& column) { return column.name == name; });
}

template <class Place>
std::vector<std::string> cells_at(const std::vector<Place>& places, const std::vector<std::string>& cells) {
  std::vector<std::string> result;
  for (const Place place : places) result.push_back(cells[place]);
  return result;
}

/// The names that `table` gives to the predictions and to what follows them, in any format.
std::vector<std::string> names_of_predictions(const io::Predictions& table) {
  std::vector<std::string> names = {table.key, "predicted", "probabilities", "std"};
  for (const std::string& column : table.columns) {
    names.push_back(table.kind == io::PredictionKind::numbers ? column : fmt::format("p_{}", column));
    names.push_back(fmt::format("std_{}", column));
  }
  for (const io::TextColumn& column : table.after) names.push_back(column.name);
  return names;
}

/// Renames targets with the name of another column, as of a column "known" that is learnt.
void rename_targets(io::Predictions& table) {
  if (table.kind != io::PredictionKind::numbers) return;
  for (std::string& target : table.columns)
    if (target == table.key || has_column(table.after, target)) target.insert(0, "predicted_");
}

/// Renames kept columns with the name of a prediction, so that no name is there twice.
void rename_kept(io::Predictions& table) {
  const std::vector<std::string> ours = names_of_predictions(table);
  const auto is_ours = [&](const std::string& name) { return std::ranges::count(ours, name) > 0; };
  for (io::TextColumn& column : table.before) {
    if (!is_ours(column.name)) continue;
    std::string name = "kept_" + column.name;
    while (is_ours(name) || has_column(table.before, name)) name.insert(0, "kept_");
    column.name = std::move(name);
  }
}

/// Adds the SMILES of molecules, and the reason where there is no prediction.
void describe_graphs(const train::GraphItems& graphs, io::Predictions& table) {
  table.key = graphs.are_molecules ? "row" : "graph";
  if (!graphs.are_molecules) return;
  if (!has_column(table.before, "smiles")) table.before.insert(table.before.begin(), {"smiles", graphs.smiles});
  table.after.push_back({"problem", graphs.problems});
}

}  // namespace

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

std::vector<io::TextColumn> ground_columns(train::Familiarity familiarity) {
  std::vector<io::TextColumn> columns;
  if (familiarity.reasons.empty()) return columns;
  if (!familiarity.similarity.empty()) {
    columns.push_back({.name = "similarity", .values = {}, .is_numeric = true});
    for (const float similarity : familiarity.similarity)
      columns.back().values.push_back(std::isnan(similarity) ? "" : fmt::format("{:.3f}", similarity));
  }
  columns.push_back({.name = "unlike", .values = std::move(familiarity.reasons)});
  return columns;
}

io::Predictions prediction_table(const train::Dataset& data, data::Task task, const std::vector<std::string>& names,
                                 const Matrix& predictions, const Matrix& deviations, ExtraColumns extra,
                                 std::vector<graph::Node> selected) {
  io::Predictions table;
  table.columns = names;
  table.values = predictions;
  table.deviations = deviations;
  table.kind = task == data::Task::classification ? io::PredictionKind::classes
               : task == data::Task::multilabel   ? io::PredictionKind::labels
                                                  : io::PredictionKind::numbers;
  std::erase_if(extra.known, [&](const io::TextColumn& column) { return has_column(extra.kept, column.name); });
  table.before = std::move(extra.kept);
  table.after = std::move(extra.ground);
  std::ranges::move(extra.known, std::back_inserter(table.after));
  for (std::vector<io::TextColumn>* columns : {&table.before, &table.after})
    for (io::TextColumn& column : *columns)
      if (!selected.empty()) column.values = cells_at(selected, column.values);
  table.nodes = std::move(selected);
  if (data.graphs) describe_graphs(*data.graphs, table);
  rename_targets(table);
  rename_kept(table);
  return table;
}

std::vector<io::TextColumn> known_and_split(const train::Dataset& data, const std::vector<std::string>& labels,
                                            const std::optional<data::Split>& split) {
  std::vector<io::TextColumn> columns = train::known_columns(data, labels);
  if (split) columns.push_back(train::split_text(*split));
  return columns;
}

void keep_rows(const std::vector<std::size_t>& places, io::Predictions& table) {
  std::vector<graph::Node> nodes;
  for (const std::size_t place : places)
    nodes.push_back(table.nodes.empty() ? static_cast<graph::Node>(place) : table.nodes[place]);
  table.nodes = std::move(nodes);
  table.values = Matrix(table.values(places, Eigen::all));
  if (table.has_deviations()) table.deviations = Matrix(table.deviations(places, Eigen::all));
  for (std::vector<io::TextColumn>* columns : {&table.before, &table.after})
    for (io::TextColumn& column : *columns) column.values = cells_at(places, column.values);
}

void write_predictions_of(const std::string& path, const train::Dataset& data, data::Task task,
                          const std::vector<std::string>& names, const Matrix& predictions, const Matrix& deviations,
                          ExtraColumns extra) {
  io::write_predictions(path, data.items(),
                        prediction_table(data, task, names, predictions, deviations, std::move(extra)));
}

}  // namespace edgewise::app
