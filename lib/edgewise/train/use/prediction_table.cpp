#include "edgewise/train/use/prediction_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace edgewise::train {
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

/// Adds the two ends of each edge.
void describe_edges(const EdgeItems& edges, io::Predictions& table) {
  table.key = "edge";
  io::TextColumn source{.name = "source", .values = {}}, target{.name = "target", .values = {}};
  const PairNames nodes = edges.names();
  for (std::size_t item = 0; item < edges.size(); ++item) {
    source.values.emplace_back(nodes.of_source(edges.sources[item]));
    target.values.emplace_back(nodes.of_target(edges.targets[item]));
  }
  table.before.insert(table.before.begin(), {std::move(source), std::move(target)});
}

/// Adds the SMILES of molecules, and the reason where there is no prediction.
void describe_graphs(const GraphItems& graphs, io::Predictions& table) {
  table.key = graphs.are_molecules ? io::kRowKey : "graph";
  if (!graphs.are_molecules) return;
  std::vector<io::TextColumn> texts;
  if (graphs.mixtures)
    for (const std::string& name : graphs.mixtures->names) texts.push_back({name, graphs.smiles_of(name)});
  else
    texts.push_back({graphs.are_reactions ? "reaction" : "smiles", graphs.smiles});
  std::erase_if(texts, [&](const io::TextColumn& column) { return has_column(table.before, column.name); });
  table.before.insert(table.before.begin(), texts.begin(), texts.end());
  table.after.push_back({"problem", graphs.problems});
}

}  // namespace

std::vector<io::TextColumn> domain_columns(DomainReport domain_report) {
  std::vector<io::TextColumn> columns;
  if (domain_report.reasons.empty()) return columns;
  if (!domain_report.similarity.empty()) {
    columns.push_back({.name = "similarity", .values = {}, .is_numeric = true});
    for (const float similarity : domain_report.similarity)
      columns.back().values.push_back(std::isnan(similarity) ? "" : fmt::format("{:.3f}", similarity));
  }
  columns.push_back({.name = "unlike", .values = std::move(domain_report.reasons)});
  return columns;
}

io::Predictions prediction_table(const Dataset& data, data::Task task, const std::vector<std::string>& names,
                                 const Matrix& predictions, const Matrix& deviations, ExtraColumns extra,
                                 std::vector<graph::Node> selected) {
  io::Predictions table;
  table.columns = names;
  table.values = predictions;
  table.deviations = deviations;
  table.kind = task.has_classes() ? io::PredictionKind::classes
               : task.has_flags() ? io::PredictionKind::labels
                                  : io::PredictionKind::numbers;
  std::erase_if(extra.known, [&](const io::TextColumn& column) { return has_column(extra.kept, column.name); });
  table.before = std::move(extra.kept);
  table.after = std::move(extra.domain);
  std::ranges::move(extra.known, std::back_inserter(table.after));
  if (data.edges) describe_edges(*data.edges, table);
  for (std::vector<io::TextColumn>* columns : {&table.before, &table.after})
    for (io::TextColumn& column : *columns)
      if (!selected.empty()) column.values = cells_at(selected, column.values);
  table.nodes = std::move(selected);
  if (data.graphs) describe_graphs(*data.graphs, table);
  rename_targets(table);
  rename_kept(table);
  return table;
}

io::Predictions rows_at(const std::vector<std::size_t>& places, const io::Predictions& table) {
  io::Predictions rows{.kind = table.kind, .columns = table.columns, .values = table.values(places, Eigen::all)};
  rows.threshold = table.threshold;
  rows.key = table.key;
  for (const std::size_t place : places)
    rows.nodes.push_back(table.nodes.empty() ? static_cast<graph::Node>(place) : table.nodes[place]);
  if (table.has_deviations()) rows.deviations = table.deviations(places, Eigen::all);
  const auto cut = [&](const io::TextColumn& column) {
    return io::TextColumn{column.name, cells_at(places, column.values), column.is_numeric};
  };
  std::ranges::transform(table.before, std::back_inserter(rows.before), cut);
  std::ranges::transform(table.after, std::back_inserter(rows.after), cut);
  return rows;
}

io::Predictions embeddings_table(std::string key, Matrix rows, std::vector<graph::Node> nodes) {
  io::Predictions table{.kind = io::PredictionKind::numbers,
                        .columns = {},
                        .values = std::move(rows),
                        .nodes = std::move(nodes),
                        .key = std::move(key)};
  for (Eigen::Index i = 0; i < table.values.cols(); ++i) table.columns.push_back(fmt::format("e{}", i + 1));
  return table;
}

}  // namespace edgewise::train
