#include "edgewise/train/doctor/data_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/label_columns.hpp"
#include "edgewise/train/source/molecule_descriptors.hpp"

namespace edgewise::train {
namespace {

/// A column of the table of nodes, or of that of graphs.
const io::Column& column_of(const Dataset& data, const char* member, const std::string& name) {
  const io::NodeTable& nodes = data.node_table();
  if (const io::Column* column = nodes.find(name)) return *column;
  const io::NodeTable& table = data.table.columns.empty() ? nodes : data.table;
  if (table.file.empty())
    throw UsageError(fmt::format("data.{}: names columns of a table, but {} has none", member, data.name));
  return table.at(name);  // throws, listing the columns
}

void check_descriptors(const Dataset& data) {
  const std::vector<std::string>& wanted = data.reading.descriptors;
  for (const std::string& name : wanted) {
    if (std::ranges::count(wanted, name) > 1)
      throw UsageError(fmt::format("data.descriptors: \"{}\" is listed twice", name));
    if (std::ranges::count(data.reading.label, name) > 0)
      throw UsageError(fmt::format("data.descriptors: \"{}\" is a label", name));
    if (name != kRdkitDescriptors) data.table.at(name);  // throws, listing the columns
  }
}

}  // namespace

void check_columns(const DataConfig& config, const Dataset& data) {
  if (config.normalise_rows && (data.has_many_graphs() || data.features.columns() == 0))
    throw UsageError(
        fmt::format("data.normalise_rows: is for ready-made features of nodes ({})", setting("data.features")));
  for (const std::string& name : config.ignore) column_of(data, "ignore", name);
  const bool is_column = !config.relation.empty() && config.relation != kNoRelation && !is_of_links(config);
  if (is_column) column_of(data, "relation", config.relation);
  check_descriptors(data);
}

void check_categorical(const DataConfig& config, const Dataset& data) {
  for (const std::string& name : config.categorical_of_nodes())
    if (column_of(data, "categorical", name).is_numeric)
      throw UsageError(fmt::format(
          "data.categorical: is for your own tables and graph files; the column \"{}\" of {} is read as numbers", name,
          data.name));
}

}  // namespace edgewise::train
