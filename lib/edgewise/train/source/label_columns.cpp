#include "edgewise/train/source/label_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/bounds.hpp"
#include "edgewise/data/label_lists.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/data/odd_cells.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::train {
namespace {

io::Column* column_to_learn(const std::string& name, io::NodeTable& table) {
  auto found = std::ranges::find(table.columns, name, &io::Column::name);
  if (found == table.columns.end())
    found = std::ranges::find_if(table.columns,
                                 [&](const io::Column& column) { return data::is_logarithm_of(name, column.name); });
  return found == table.columns.end() ? nullptr : &*found;
}

/// Whether cells such as ">5" in the column are bounds: of a regression, or of a column that would be one without them.
bool may_have_bounds(const io::Column& column, std::optional<data::Task> task, const DataConfig& config) {
  if (column.is_numeric || std::ranges::count(config.categorical, column.name) > 0) return false;
  return task ? task->takes_bounds : data::find_odd_cells(column).has_value();
}

/// The column of relations, or nullptr. If none is named, it is the only one that marks bounds beside a single label.
const io::Column* find_relations(const std::vector<std::string>& labels, std::optional<data::Task> task,
                                 const io::NodeTable& table, const DataConfig& config) {
  if (!config.relation.empty()) {
    if (labels.size() > 1)
      throw UsageError(fmt::format("data.relation: is for one label, got {}", fmt::join(labels, ", ")));
    if (task && task->has_numbers() && !task->takes_bounds)
      throw UsageError(fmt::format("data.relation: {} cannot be learnt from bounds such as >5", task->name));
    const io::Column* column = table.find(config.relation);
    for (std::size_t row = 0; column != nullptr && row < column->size(); ++row)
      if (!column->is_missing(row) && !data::parse_relation(column->text(row)))
        throw DataError(table.where(row), fmt::format("column \"{}\": expected =, <, >, <=, >= or ~, got {}",
                                                      column->name, io::quote(column->text(row))));
    return column;
  }
  if (labels.size() != 1 || (task && !task->takes_bounds)) return nullptr;
  const auto found = std::ranges::find_if(table.columns, data::marks_bounds);
  const bool is_only = found != table.columns.end() &&
                       std::none_of(found + 1, table.columns.end(), data::marks_bounds);
  return is_only && found->name != labels.front() ? &*found : nullptr;
}

}  // namespace

void split_label_lists(const LoadOptions& options, io::NodeTable& table, DataConfig& config) {
  const bool is_known_list = !config.label_list.empty();
  if (config.separator.empty() || (is_known_list && config.label.empty())) return;
  if (!is_known_list && (config.task != "multilabel" || config.label.size() != 1))
    throw UsageError(fmt::format("data.separator: is for one column with several labels in each cell ({} multilabel)",
                                 setting("data.task")));
  const std::string column = is_known_list ? config.label_list : config.label.front();
  if (table.find(column) == nullptr) return;
  config.label = data::split_label_lists(column, config.separator, options.known_labels, table);
  config.label_list = column;
}

void prepare_known_labels(const std::vector<std::string>& labels, const std::vector<std::string>& known,
                          data::Task task, DataConfig config, io::NodeTable& table) {
  config.label = labels;
  try {
    split_label_lists({.known_labels = known}, table, config);
  } catch (const DataError&) {  // they are other labels
  }
  prepare_labels(labels, task, table, config);
}

void prepare_labels(const std::vector<std::string>& labels, std::optional<data::Task> task, io::NodeTable& table,
                    DataConfig& config) {
  const bool has_labels =
      std::ranges::all_of(labels, [&](const std::string& name) { return column_to_learn(name, table) != nullptr; });
  if (config.relation != kNoRelation && has_labels && !labels.empty()) {
    if (const io::Column* relations = find_relations(labels, task, table, config)) {
      io::Column& column = *column_to_learn(labels.front(), table);
      if (column.is_numeric) data::take_bounds(*relations, column);
      config.relation = relations->name;
    }
    for (const std::string& name : labels)
      if (io::Column& column = *column_to_learn(name, table); may_have_bounds(column, task, config))
        data::take_bounds(column);
  }
  data::prepare_label_columns(labels, config.missing_labels, table);
}

}  // namespace edgewise::train
