#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/graph_file.hpp"
#include "edgewise/io/similar_node.hpp"
#include "edgewise/train/source/kind_columns.hpp"
#include "edgewise/train/source/kind_network.hpp"
#include "edgewise/train/source/kinds.hpp"
#include "edgewise/train/source/network.hpp"
#include "edgewise/train/source/read_edges.hpp"
#include "edgewise/train/source/sources.hpp"

namespace edgewise::train {
namespace {

constexpr graph::Node kNoRow = ~graph::Node{0};

/// The row of each node of the file; kNoRow for one that the table does not list.
std::vector<graph::Node> rows_of(const io::GraphFile& file, io::NodeTable& table, Dataset& data) {
  const DataConfig& config = data.reading;
  io::UnknownNodeReport unknown;
  std::vector<graph::Node> rows(file.names.size(), kNoRow);
  const graph::NodeNames listed = table.names;
  for (graph::Node node = 0; node < file.names.size(); ++node) {
    const std::string_view name = file.names[node];
    if (const std::optional<graph::Node> row = listed.find(name)) {
      rows[node] = *row;
      continue;
    }
    if (config.unknown_nodes == io::UnknownNodes::refuse)
      throw DataError(file.nodes.where(node),
                      fmt::format("the node {} is not in {}; {} drop leaves it out with its edges, add "
                                  "adds it without attributes{}",
                                  io::quote(name), config.nodes, setting("data.unknown_nodes"),
                                  io::similar_node_hint(table.names, name)));
    if (unknown.nodes++ == 0) {
      unknown.first = name;
      if (file.nodes.where(node).line > 0) unknown.place = file.nodes.place_of(node);
    }
    if (config.unknown_nodes == io::UnknownNodes::add) rows[node] = table.names.add(name);
  }
  const auto is_unknown = [&](graph::Node node) { return rows[node] == kNoRow || rows[node] >= listed.size(); };
  for (graph::EdgeIndex e = 0; unknown.nodes > 0 && e < file.edges.size(); ++e)
    unknown.edges += is_unknown(file.edges.sources[e]) || is_unknown(file.edges.targets[e]) ? 1 : 0;
  note_unknown_nodes(unknown, config.graph, data);
  return rows;
}

/// Keeps the edges that have both ends.
void drop_edges(const std::vector<graph::Node>& rows, io::GraphFile& file) {
  const graph::EdgeList& all = file.edges;
  std::vector<std::size_t> kept;
  for (std::size_t e = 0; e < all.size(); ++e)
    if (rows[all.sources[e]] != kNoRow && rows[all.targets[e]] != kNoRow) kept.push_back(e);
  if (kept.size() == all.size()) return;
  graph::EdgeList edges;
  edges.feature_names = all.feature_names;
  std::vector<std::uint64_t> lines;
  for (const std::size_t e : kept) {
    edges.sources.push_back(all.sources[e]);
    edges.targets.push_back(all.targets[e]);
    if (!all.weights.empty()) edges.weights.push_back(all.weights[e]);
    lines.push_back(e < file.edge_lines.size() ? file.edge_lines[e] : 0);
  }
  if (all.features.cols() > 0) edges.features = all.features(kept, Eigen::all);
  file.edges = std::move(edges);
  file.edge_lines = std::move(lines);
  file.edge_list.clear();  // edges are no longer counted as in the file
}

/// Uses the file's edges between the rows of the node table, which defines the nodes.
void use_table(const LoadOptions& options, io::GraphFile& file, Dataset& data) {
  const DataConfig& config = data.reading;
  io::NodeTable table = read_nodes(options, data.reading);
  const std::vector<graph::Node> rows = rows_of(file, table, data);
  drop_edges(rows, file);
  add_rows(table.names, table);
  for (graph::Node& node : file.edges.sources) node = rows[node];
  for (graph::Node& node : file.edges.targets) node = rows[node];
  if (!file.nodes.columns.empty())
    data.notes.push_back(fmt::format("{}: its attributes of nodes are ignored; those of {} are used", config.graph,
                                     config.nodes));
  file.names = table.names;
  file.nodes = std::move(table);
}

Dataset read_graph_and_nodes(const DataConfig& config, const LoadOptions& load) {
  if (has_kind_columns(config)) return read_kind_columns(config, load);
  Dataset data;
  data.reading = config;
  io::GraphFile file = read_graph(load, data);
  if (!config.nodes.empty()) use_table(load, file, data);
  take_edge_features(load, file, data);
  data.name = std::filesystem::path(config.graph).filename().string();
  try {
    data.graph = graph::Graph(std::move(file.names), std::move(file.edges), graph_options(config, file));
  } catch (const graph::EdgeError& error) {
    throw DataError(fmt::format("{}: {}: {}", config.graph, file.place_of(error.edge()), error.what()));
  }
  if (!load.is_for_model())
    note_differing_duplicates(config.graph, [&](graph::EdgeIndex edge) { return file.place_of(edge); }, data);
  data.table = std::move(file.nodes);
  complete_network(load, data);
  return data;
}

}  // namespace

const Source& graph_file_source() {
  static const Source kSource{
      .noun = "a graph file",
      .named_by = {"graph"},
      .takes = {DataGroup::nodes, DataGroup::features, DataGroup::component, DataGroup::names, DataGroup::unknown_nodes,
                DataGroup::graph_attributes, DataGroup::kinds, DataGroup::edges, DataGroup::tables, DataGroup::labels},
      .replaces = {"nodes", "id"},  // it has nodes of its own
      .shape = [](const json::Value&) { return DataShape::network; },
      .check =
          [](const DataConfig& config) {
            if (config.nodes.empty()) refuse_groups(config, {DataGroup::names, DataGroup::unknown_nodes});
          },
      .read = read_graph_and_nodes,
      .candidates = candidates_of_kinds};
  return kSource;
}

}  // namespace edgewise::train
