#include "edgewise/train/source/network.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/node_encoder.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/io/feature_lists.hpp"
#include "edgewise/io/feature_table.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/label_columns.hpp"
#include "edgewise/train/source/label_patterns.hpp"
#include "edgewise/train/source/largest_component.hpp"

namespace edgewise::train {
namespace {

io::FeatureTable read_features(const DataConfig& config, const LoadOptions& load, const Dataset& data) {
  const io::SparseFeaturesOptions options{.known_nodes = &data.graph.names(), .features = load.sparse_columns};
  const bool is_json = config.features.ends_with(".json") || config.features.ends_with(".json.gz");
  if (!is_json) return io::read_feature_table(config.features, options, io::missing_texts(config.missing));
  io::FeatureTable table;
  table.sparse = io::read_feature_lists(config.features, options);
  return table;
}

/// Features with a column each become columns of the table of nodes.
void add_columns(const std::string& file, io::FeatureTable features, Dataset& data) {
  if (features.without_row > 0)
    data.notes.push_back(fmt::format("{}: {} of {} nodes have no row: their features are missing", file,
                                     features.without_row, data.graph.node_count()));
  if (data.table.rows() == 0) {
    data.table.file = file;
    data.table.names = data.graph.names();
  }
  for (io::Column& column : features.columns) {
    if (data.table.find(column.name) != nullptr || column.name == data.table.id_column)
      throw DataError(fmt::format("{}: the column {} is in {}, too: give one of them another name", file,
                                  io::quote(column.name), data.table.file));
    data.table.columns.push_back(std::move(column));
  }
}

void place_features(io::FeatureTable features, Dataset& data) {
  if (!features.sparse) return add_columns(data.reading.features, std::move(features), data);
  data.features.is_sparse = true;
  data.features.sparse = std::move(features.sparse->matrix);
}

}  // namespace

void load_labels(const LoadOptions& options, Dataset& data) {
  split_label_lists(options, data.table, data.reading);
  expand_labels(data);
  const DataConfig& config = data.reading;
  prepare_labels(config.label, task_of(config, options), data.table, data.reading);
  if (config.label.empty()) {
    if (!options.needs_labels || is_of_links(config)) return;
    throw UsageError(
        fmt::format("{}: name the column(s) of the node table to be learnt", setting("data.label")));
  }
  if (config.nodes.empty() && data.table.columns.empty())
    throw UsageError(
        config.graph.empty()
            ? fmt::format("data.label: labels come from a node table, but there is none ({})", setting("data.nodes"))
            : fmt::format("data.label: the nodes of {} have no attributes to learn; give a node table "
                          "({})",
                          config.graph, setting("data.nodes")));
  if (!options.needs_labels)
    for (const std::string& column : config.label)
      if (data.table.find(column) == nullptr) return;
  data::LabelOptions wanted = label_options(config, task_of(config, options), options);
  wanted.noun = data.noun().one;
  data.labels = data::read_labels(data.table, wanted);
}

io::NodeTable read_nodes(const LoadOptions& options, DataConfig& config) {
  io::NodeTable table =
      io::read_node_table(config.nodes, {.id_column = config.id,
                                         .preferred_id = options.naming_columns.id,
                                         .texts = read_as_text(config, options),
                                         .missing = io::missing_texts(config.missing)});
  config.id = table.id_column;
  for (std::vector<std::string>* names : {&config.label, &config.ignore})
    for (std::string& name : *names) name = table.name_of(name);
  return table;
}

void add_rows(const graph::NodeNames& names, io::NodeTable& table) {
  const std::size_t added = names.size() - table.lines.size();
  table.names = names;
  table.lines.resize(names.size(), 0);
  if (!table.parts.empty()) table.parts.resize(names.size(), 0);
  for (io::Column& column : table.columns) {
    if (column.is_numeric)
      column.numbers.resize(names.size(), std::numeric_limits<float>::quiet_NaN());
    else
      column.codes.resize(names.size(), -1);
    column.missing += added;
  }
}

void add_encodings(Dataset& data) {
  const EncodingConfig& encodings = data.reading.encodings;
  if (encodings.distances > 0 || encodings.virtual_node)
    throw UsageError(
        "data.encodings: distances and virtual_node are for labels of graphs (molecules and sets of graphs), but here "
        "nodes have the labels");
  const graph::Node offsets[] = {0, static_cast<graph::Node>(data.graph.node_count())};
  data.encodings = positional_encodings(data.graph, offsets, encodings);
}

void complete_network(const LoadOptions& options, Dataset& data) {
  const DataConfig& config = data.reading;
  std::optional<io::FeatureTable> features;
  if (!config.features.empty()) features = read_features(config, options, data);
  load_labels(options, data);
  if (features) place_features(std::move(*features), data);
  if (config.component == Component::largest) keep_largest_component(data);
  if (config.normalise_rows && data.features.columns() > 0) data::normalise_rows(data.features);
  add_encodings(data);
}

}  // namespace edgewise::train
