#include "edgewise/train/source/edge_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/train/source/network.hpp"
#include "edgewise/train/source/node_kinds.hpp"
#include "edgewise/train/source/node_pairs.hpp"
#include "edgewise/train/source/read_edges.hpp"

namespace edgewise::train {
namespace {

/// Called like its ends, and numbered where it is not the first between them.
graph::NodeNames names_of_items(const EdgeItems& edges) {
  graph::NodeNames names;
  const PairNames nodes = edges.names();
  std::unordered_map<std::string, std::size_t> counts;
  for (std::size_t item = 0; item < edges.size(); ++item) {
    std::string name = name_of_link(nodes, edges.sources[item], edges.targets[item]);
    if (const std::size_t count = ++counts[name]; count > 1) name += fmt::format(",{}", count);
    names.add(name);
  }
  return names;
}

/// A column of nodes, the first of which is `first`, for the given end of each edge.
io::Column column_of_ends(const io::Column& column, const std::string& name, const std::vector<graph::Node>& ends,
                          graph::Node first = 0) {
  io::Column result;
  result.name = name;
  result.is_numeric = column.is_numeric;
  result.categories = column.categories;
  for (const graph::Node end : ends) {
    const graph::Node node = end - first;
    column.is_numeric ? result.numbers.push_back(column.numbers[node]) : result.codes.push_back(column.codes[node]);
    result.missing += column.is_missing(node) ? 1 : 0;
  }
  return result;
}

/// Appends the attributes of both ends, but for those that are ignored: their names in DataConfig::ignore are done
/// with.
void add_columns_of_ends(const io::NodeTable& nodes, const EdgeItems& edges, Dataset& data) {
  std::vector<std::string>& ignored = data.reading.ignore;
  for (const io::Column& column : nodes.columns) {
    const bool is_of_edges = data.table.find(column.name) != nullptr;
    if (!is_of_edges && std::erase(ignored, column.name) > 0) continue;
    data.table.columns.push_back(column_of_ends(column, fmt::format("{} of source", column.name), edges.sources));
    data.table.columns.push_back(column_of_ends(column, fmt::format("{} of target", column.name), edges.targets));
  }
}

/// The columns of the edge list. Without a header only a model reads it, and gets none.
io::NodeTable table_of_edges(const FileList& files, const LoadOptions& options, const DataConfig& config,
                             const io::EdgeListResult& edges) {
  io::NodeTable table;
  if (edges.report.has_header) {
    DataConfig of_files = config;
    of_files.edges = files;
    table = read_edge_table(of_files, options, {}, edges);
    std::erase_if(table.columns, [&](const io::Column& column) {
      return column.name == edges.report.source_column || column.name == edges.report.target_column;
    });
    return table;
  }
  if (!options.is_for_model())
    throw DataError({.file = files.front(), .line = 1},
                    fmt::format("expected a header, in which the label is called \"{}\", and edges below it",
                                config.edge_label.front()));
  table.file = files;
  table.lines.resize(edges.edges.size());
  return table;
}

/// What this kind of data makes of what was requested.
DataConfig reading_of(const DataConfig& config, const LoadOptions& options) {
  DataConfig reading = config;
  if (options.is_for_model()) return reading;
  if (!config.label.empty() && config.label != config.edge_label)
    throw UsageError(fmt::format("data.label: the labels are in a column of the edges ({}); leave out {}",
                                 setting("data.edge_label"), setting("data.label")));
  reading.label = config.edge_label;
  reading.directed = !config.undirected;
  return reading;
}

/// Edges between nodes of one kind, with their columns and those of their ends.
EdgeItems read_within_kind(const LoadOptions& options, Dataset& data) {
  const FileList files = data.reading.edges;
  io::NodeTable nodes;
  const std::vector<std::string> labels = std::exchange(data.reading.label, {});  // no columns of the nodes
  if (!data.reading.nodes.empty()) nodes = read_nodes(options, data.reading);
  data.table.id_column = nodes.id_column;
  io::EdgeListResult read = read_edges(options, data.reading.nodes.empty() ? nullptr : &nodes.names, data);
  data.reading.label = labels;
  if (!data.reading.nodes.empty()) add_rows(read.names, nodes);
  data.table = table_of_edges(files, options, data.reading, read);
  EdgeItems edges{.nodes = std::move(read.names),
                  .sources = std::move(read.edges.sources),
                  .targets = std::move(read.edges.targets),
                  .is_directed = data.reading.directed};
  add_columns_of_ends(nodes, edges, data);
  return edges;
}

/// The same for edges of a relation. Its nodes are called KIND:NAME if they are of two kinds.
EdgeItems read_of_relation(const LoadOptions& options, Dataset& data) {
  KindsOfRelation read = read_labelled_relation(data.reading, options, data);
  const bool has_two_kinds = read.kinds.size() > 1;
  const auto first = static_cast<graph::Node>(has_two_kinds ? read.kinds.front().names.size() : 0);
  EdgeItems edges;
  edges.is_directed = data.reading.directed;
  for (ReadKind& kind : read.kinds) {
    for (graph::Node node = 0; node < kind.names.size(); ++node)
      edges.nodes.add(has_two_kinds ? fmt::format("{}:{}", kind.name, kind.names[node])
                                    : std::string(kind.names[node]));
    if (kind.table) add_rows(kind.names, *kind.table);
  }
  for (const auto& [source, target] : read.relation.ends) {
    edges.sources.push_back(source);
    edges.targets.push_back(first + target);
  }
  data.table = io::rows_of(table_of_edges(read.files, options, data.reading, read.list), read.relation.rows);
  const ReadKind& sources = read.kinds.front();
  const ReadKind& targets = read.kinds.back();
  if (!has_two_kinds) {
    if (sources.table) add_columns_of_ends(*sources.table, edges, data);
    return edges;
  }
  edges.source_kind = sources.name;
  edges.target_kind = targets.name;
  if (sources.table)
    for (const io::Column& column : sources.table->columns)
      data.table.columns.push_back(column_of_ends(column, column.name, edges.sources));
  if (targets.table)
    for (const io::Column& column : targets.table->columns)
      data.table.columns.push_back(column_of_ends(column, column.name, edges.targets, first));
  return edges;
}

}  // namespace

Dataset read_edge_items(const DataConfig& config, const LoadOptions& options) {
  Dataset data;
  data.reading = reading_of(config, options);
  data.name = std::filesystem::path(config.edges.front()).filename().string();
  EdgeItems edges = names_kinds(config) ? read_of_relation(options, data) : read_within_kind(options, data);
  data.table.names = names_of_items(edges);
  data.graph = graph::Graph(data.table.names, {}, data.reading.graph_options());
  data.edges = std::move(edges);
  load_labels(options, data);
  return data;
}

graph::Graph network_of(const EdgeItems& edges) {
  graph::EdgeList list;
  list.sources = edges.sources;
  list.targets = edges.targets;
  return {edges.nodes, std::move(list),
          {.direction = edges.is_directed && edges.source_kind.empty() ? graph::Direction::directed
                                                                       : graph::Direction::undirected,
           .duplicates = graph::DuplicateEdges::keep_all}};
}

std::vector<std::string> edge_item_notes(const Dataset& data) {
  const EdgeItems& edges = *data.edges;
  std::vector<std::string> notes;
  std::unordered_map<std::uint64_t, std::size_t> first;
  std::size_t repeats = 0, loops = 0, opposites = 0, equal = 0;
  const auto is_equal = [&](std::size_t a, std::size_t b) {
    if (data.labels.has_classes()) return data.labels.classes[a] == data.labels.classes[b];
    return data.labels.targets.row(static_cast<Eigen::Index>(a)) ==
           data.labels.targets.row(static_cast<Eigen::Index>(b));
  };
  for (std::size_t item = 0; item < edges.size(); ++item) {
    repeats += first.emplace(edges.key(item), item).second ? 0 : 1;
    loops += edges.sources[item] == edges.targets[item] ? 1 : 0;
    const auto opposite = first.find(pair_key(edges.targets[item], edges.sources[item], true));
    if (!edges.is_directed || edges.sources[item] == edges.targets[item] || opposite == first.end()) continue;
    ++opposites;
    equal += is_equal(item, opposite->second) ? 1 : 0;
  }
  if (repeats > 0)
    notes.push_back(
        fmt::format("{} the nodes of one before{}: they are in one part of a drawn split, and no evidence of "
                    "each other",
                    counted(repeats, "edge is between", "edges are between"),
                    edges.is_directed ? "" : ", in one direction or the other"));
  if (loops > 0)
    notes.push_back(fmt::format("{} from a node to itself", counted(loops, "edge leads", "edges lead")));
  constexpr std::size_t kFewest = 10;
  if (opposites >= kFewest && equal == opposites)
    notes.push_back(
        fmt::format("all {} pairs of opposite edges have equal labels, so each tells the other's: if they are "
                    "one edge, say so ({}=false)",
                    opposites, setting("data.directed")));
  return notes;
}

data::Split read_edge_split(const std::string& path, const Dataset& data) {
  std::vector<std::uint64_t> keys;
  for (std::size_t item = 0; item < data.edges->size(); ++item) keys.push_back(data.edges->key(item));
  return read_pair_split(path, data.edges->names(), keys,
                         {.noun = "edges", .is_directed = data.edges->is_directed, .can_be_loops = true});
}

void write_edge_split(const std::string& path, const Dataset& data, const data::Split& split) {
  const EdgeItems& edges = *data.edges;
  const PairNames nodes = edges.names();
  std::unordered_map<std::uint64_t, std::optional<data::Role>> role_of;  // of a pair; nothing: its edges have several
  for (std::size_t item = 0; item < split.size(); ++item)
    if (const auto [place, is_new] = role_of.emplace(edges.key(item), split[item]);
        !is_new && place->second != split[item])
      place->second.reset();
  io::write_text(path, [&](std::ostream& out) {
    out << "source,target,split\n";
    std::unordered_set<std::uint64_t> written;
    for (std::size_t item = 0; item < split.size(); ++item)
      if (written.insert(edges.key(item)).second || !role_of.at(edges.key(item)))
        out << name_of_link(nodes, edges.sources[item], edges.targets[item]) << ','
            << data::role_name(split[item]) << '\n';
  });
}

}  // namespace edgewise::train
