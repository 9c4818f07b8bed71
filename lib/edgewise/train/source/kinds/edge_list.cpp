#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/io/graph_file.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/kinds.hpp"
#include "edgewise/train/source/network.hpp"
#include "edgewise/train/source/kind_columns.hpp"
#include "edgewise/train/source/node_kinds.hpp"
#include "edgewise/train/source/read_edges.hpp"
#include "edgewise/train/source/sources.hpp"

namespace edgewise::train {
namespace {

/// Reads the edges between the nodes of the table, if there is one. If edges name nodes but the table has no rows, the
/// table is to blame.
io::EdgeListResult read_edges_between(const io::NodeTable& table, const LoadOptions& options, Dataset& data) {
  if (data.reading.nodes.empty()) return read_edges(options, nullptr, data);
  try {
    return read_edges(options, &table.names, data);
  } catch (const DataError&) {
    if (table.rows() == 0) throw DataError(table.no_rows());
    throw;
  }
}

/// Throws UsageError for edges that would not fit the memory.
void check_size(const DataConfig& config, const LoadOptions& options) {
  const std::uint64_t needed = memory_of_edges(config.edges), available = available_memory();
  if (options.take_edges || needed <= available) return;
  constexpr double kGiB = 1 << 30;
  throw UsageError(fmt::format(
      "data.edges: {}: its graph would take about {:.1f} GiB, but {:.1f} are available; freeze it once, and train from "
      "the file: {}",
      config.edges, static_cast<double>(needed) / kGiB, static_cast<double>(available) / kGiB, freeze_command(config)));
}

Dataset read_edges_and_nodes(const DataConfig& config, const LoadOptions& options) {
  check_size(config, options);
  Dataset data;
  data.reading = config;
  if (!config.nodes.empty()) data.table = read_nodes(options, data.reading);
  io::EdgeListResult result = read_edges_between(data.table, options, data);
  if (!config.nodes.empty()) add_rows(result.names, data.table);
  data.name = std::filesystem::path(config.edges.front()).filename().string();
  if (is_of_links(config) && !options.split_columns.empty())
    data.edge_table = read_edge_table(data.reading, options, options.split_columns, result);
  try {
    data.graph = graph::Graph(std::move(result.names), std::move(result.edges), data.reading.graph_options());
  } catch (const graph::EdgeError& error) {
    throw DataError(result.where(error.edge()), error.what());
  }
  if (!options.is_for_model())
    note_differing_duplicates(
        config.edges.text(), [&](graph::EdgeIndex edge) { return result.place_of(edge); }, data);
  complete_network(options, data);
  return data;
}

/// People give any file with edges as edges.
Dataset read_edges_or_graph(const DataConfig& request, const LoadOptions& options) {
  if (names_kinds(request)) return read_node_kinds(request, options);
  const std::vector<std::string>& files = request.edges.files();
  const auto found = std::ranges::find_if(files, io::is_graph_file);
  if (found == files.end())
    return has_kind_columns(request) ? read_kind_columns(request, options) : read_edges_and_nodes(request, options);
  if (files.size() > 1)
    throw UsageError(fmt::format("data.edges: {}: is a graph file, which is read by itself; several files are for edge "
                                 "lists", *found));
  DataConfig graph = request;
  graph.graph = std::exchange(graph.edges, {}).front();
  return graph_file_source().read(graph, options);
}

std::set<std::string> names_of(const FileList& files) { return {files.names().begin(), files.names().end()}; }

/// Throws ModelError for other relations than those that a model has weights for.
void check_relations(const Reuse& reuse, DataConfig& data, std::vector<std::string>&) {
  const std::set<std::string> given = names_of(data.edges);
  std::set<std::string> trained = names_of(reuse.trained.edges);
  if (trained.empty() && !given.empty())  // a column of kinds, or a frozen network
    trained.insert(reuse.trained.relations.begin(), reuse.trained.relations.end());
  const auto text = [](const std::set<std::string>& names) {
    return names.empty() ? "edges of one kind" : fmt::format("the relations {}", fmt::join(names, ", "));
  };
  if (trained != given && !data.edges.empty())
    throw ModelError(
        fmt::format("{}: the model was trained on {}, got {}", reuse.path, text(trained), text(given)));
}

}  // namespace

const Source& edge_list_source() {
  static const Source kSource{
      .noun = "an edge list",
      .named_by = {"edges"},
      .takes = {DataGroup::nodes, DataGroup::features, DataGroup::component, DataGroup::names, DataGroup::unknown_nodes,
                DataGroup::edge_columns, DataGroup::kinds, DataGroup::target, DataGroup::edges, DataGroup::tables,
                DataGroup::labels},
      .replaces = {},
      .shape = [](const json::Value&) { return DataShape::network; },
      .check =
          [](const DataConfig& config) {
            if (config.nodes.empty() && !config.edges.has_names() && !has_kind_columns(config))
              refuse_groups(config, {DataGroup::names, DataGroup::unknown_nodes, DataGroup::labels});
          },
      .read = read_edges_or_graph,
      .candidates = candidates_of_kinds,
      .adapt = check_relations};
  return kSource;
}

}  // namespace edgewise::train
