#include "edgewise/train/source/kind_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/text_reader.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/kind_network.hpp"
#include "edgewise/train/source/network.hpp"
#include "edgewise/train/source/read_edges.hpp"
#include "edgewise/train/source/relation_columns.hpp"

namespace edgewise::train {
namespace {

constexpr const char* kOnlyKind = "node";
constexpr const char* kOnlyRelation = "to";

/// The list of edges, or the graph file.
FileList files_with_edges(const DataConfig& config) {
  return config.edges.empty() ? FileList(config.graph) : config.edges;
}

void check_settings(const DataConfig& config) {
  const auto refuse = [](std::string_view member, std::string_view why) {
    throw UsageError(fmt::format("data.{}: {}", member, why));
  };
  if (!config.graph.empty() && !config.nodes.empty())
    refuse("nodes", fmt::format("{} has the nodes and their kinds: leave out the table", config.graph));
  if (!config.node_kind.empty() && config.nodes.empty() && config.graph.empty())
    refuse("node_kind", fmt::format("is a column of a table of nodes: give one ({})", setting("data.nodes")));
  if (!config.node_kind.empty() && config.unknown_nodes == io::UnknownNodes::add)
    refuse("unknown_nodes", "expected refuse or drop: a node that the table does not list has no kind");
  refuse_settings_of_one_kind(config);
}

/// Also reads this column as a text.
LoadOptions with_text(LoadOptions options, const std::string& column) {
  options.texts.names.push_back(column);
  return options;
}

/// The name of a kind or a relation, without the colon that Neo4j writes before it. Throws DataError at `where()` for
/// one that is missing or has another colon.
template <class Where>
std::string checked_kind(std::string kind, const std::string& column, const Where& where) {
  if (kind.starts_with(':')) kind.erase(0, 1);
  if (kind.empty()) throw DataError(where(), fmt::format("column \"{}\": expected a kind, found none", column));
  if (kind.find(':') != kind.npos)
    throw DataError(where(), fmt::format("column \"{}\": expected a kind without a colon, got {}", column,
                                         io::quote(kind)));
  return kind;
}

/// The relation of each edge.
std::vector<std::string> names_of_relations(const io::EdgeListResult& read, const std::string& column) {
  std::vector<std::string> names(read.edges.size(), kOnlyRelation);
  if (column.empty() || names.empty()) return names;
  const io::Categories& categories = read.report.features.categories;
  if (categories.empty()) throw DataError(fmt::format("{}: no edge has a relation in \"{}\"", read.files, column));
  const std::vector<std::string>& known = categories.begin()->second;
  for (std::size_t e = 0; e < names.size(); ++e) {
    Eigen::Index code = 0;
    const bool is_known = read.edges.features.row(static_cast<Eigen::Index>(e)).maxCoeff(&code) > 0;
    names[e] =
        checked_kind(is_known ? known[static_cast<std::size_t>(code)] : "", column, [&] { return read.where(e); });
  }
  return names;
}

/// The kind of each node, and its place among the nodes of its kind.
struct KindOfNodes {
  std::vector<std::string> kinds;                 ///< By name.
  std::vector<std::size_t> of_node;               ///< Places in `kinds`.
  std::vector<graph::Node> places;
  std::vector<std::vector<std::size_t>> members;  ///< The nodes of each kind.

  KindOfNodes(const io::NodeTable& table, const DataConfig& config, std::size_t nodes) {
    std::vector<std::string> texts(nodes, kOnlyKind);
    const io::Column* column = config.node_kind.empty() ? nullptr : &table.at(config.node_kind);
    for (std::size_t row = 0; row < nodes && column != nullptr; ++row)
      texts[row] = checked_kind(column->text(row), column->name, [&] { return table.where(row); });
    std::set<std::string> distinct(texts.begin(), texts.end());
    for (const std::string& relation : config.relations)  // of a model
      distinct.insert({relation.substr(0, relation.find(':')), relation.substr(relation.rfind(':') + 1)});
    kinds.assign(distinct.begin(), distinct.end());
    if (kinds.empty()) kinds.emplace_back(kOnlyKind);  // there are no nodes
    members.resize(kinds.size());
    for (std::size_t node = 0; node < nodes; ++node) {
      of_node.push_back(place_of(texts[node]));
      places.push_back(static_cast<graph::Node>(members[of_node[node]].size()));
      members[of_node[node]].push_back(node);
    }
  }

  std::size_t place_of(std::string_view kind) const {
    return static_cast<std::size_t>(std::ranges::find(kinds, kind) - kinds.begin());
  }
  /// The kinds that have values in a column.
  std::set<std::string> with_values(const io::Column& column) const {
    std::set<std::string> found;
    for (std::size_t node = 0; node < of_node.size(); ++node)
      if (!column.is_missing(node)) found.insert(kinds[of_node[node]]);
    return found;
  }
};

/// The kind with the labels, also where DataConfig::label does not say it.
std::string labelled_kind(const io::NodeTable& table, const KindOfNodes& nodes, const DataConfig& config) {
  std::set<std::string> found;
  for (const std::string& label : config.label) {
    const io::Column* column = table.find(label);
    if (column == nullptr || !kind_of_column(label, nodes.kinds).empty()) return kind_of_labels(nodes.kinds, config);
    found.merge(nodes.with_values(*column));
  }
  if (found.size() > 1 && config.label_kind.empty())
    throw UsageError(fmt::format("data.label: the kinds {} have values in \"{}\": say which is to be learnt, as {}.{}",
                                 fmt::join(found, ", "), config.label.front(), *found.begin(), config.label.front()));
  return found.size() == 1 && config.label_kind.empty() ? *found.begin() : kind_of_labels(nodes.kinds, config);
}

/// The rows of one kind, with the columns in which it has values, and those that are learnt. `ignored`: of all kinds.
io::NodeTable table_of_kind(const io::NodeTable& all, const KindOfNodes& nodes, std::size_t kind, bool is_labelled,
                            const std::vector<std::string>& ignored, const DataConfig& config) {
  io::NodeTable table = io::rows_of(all, nodes.members[kind]);
  table.names = graph::NodeNames::numbered(0);
  for (const std::size_t node : nodes.members[kind]) table.names.add(all.names[static_cast<graph::Node>(node)]);
  std::erase_if(table.columns, [&](const io::Column& column) {
    const bool is_learnt = is_labelled && std::ranges::count(config.label, column.name) > 0;
    const bool is_ignored =
        std::ranges::count(ignored, column.name) > 0 ||
        std::ranges::count(ignored, fmt::format("{}.{}", nodes.kinds[kind], column.name)) > 0;
    const bool is_empty = column.missing == column.size() && !is_learnt;
    return column.name == config.node_kind || (is_ignored && !is_labelled) || is_empty;
  });
  if (!is_labelled)
    for (io::Column& column : table.columns) column.name = fmt::format("{}.{}", nodes.kinds[kind], column.name);
  return table;
}

std::vector<ReadKind> tables_of_kinds(const io::NodeTable& all, const graph::NodeNames& names, const KindOfNodes& nodes,
                                      const std::string& labelled, const std::vector<std::string>& ignored,
                                      const DataConfig& config) {
  std::vector<ReadKind> kinds;
  for (std::size_t k = 0; k < nodes.kinds.size(); ++k) {
    ReadKind& kind = kinds.emplace_back(ReadKind{.name = nodes.kinds[k]});
    for (const std::size_t node : nodes.members[k]) kind.names.add(names[static_cast<graph::Node>(node)]);
    if (config.nodes.empty() && config.graph.empty()) continue;
    kind.table = table_of_kind(all, nodes, k, kind.name == labelled, ignored, config);
  }
  return kinds;
}

/// By ends and name.
std::vector<ReadRelation> relations_of(const io::EdgeListResult& read, const KindOfNodes& nodes,
                                       const DataConfig& config) {
  const std::vector<std::string> names = names_of_relations(read, config.edge_kind);
  using Key = std::tuple<std::string, std::string, std::string>;  // source, target, name
  std::map<Key, ReadRelation> found;
  const auto relation = [&](const Key& key) -> ReadRelation& {
    ReadRelation& one = found[key];
    if (!one.relation.name.empty()) return one;
    const auto& [source, target, name] = key;
    one.relation = {.name = name,
                    .source = nodes.place_of(source),
                    .target = nodes.place_of(target),
                    .is_undirected = source == target && !config.directed};
    return one;
  };
  for (const std::string& text : config.relations) {  // of a model
    const std::size_t first = text.find(':'), last = text.rfind(':');
    relation({text.substr(0, first), text.substr(last + 1), text.substr(first + 1, last - first - 1)});
  }
  for (std::size_t e = 0; e < read.edges.size(); ++e) {
    const graph::Node source = read.edges.sources[e], target = read.edges.targets[e];
    const Key key(nodes.kinds[nodes.of_node[source]], nodes.kinds[nodes.of_node[target]], names[e]);
    if (!config.relations.empty() && !found.contains(key))
      throw DataError(read.where(e),
                      fmt::format("the model was not trained with the relation {}",
                                  name_of_relation(std::get<0>(key), std::get<2>(key), std::get<1>(key))));
    ReadRelation& one = relation(key);
    one.ends.emplace_back(nodes.places[source], nodes.places[target]);
    one.rows.push_back(e);
  }
  std::vector<ReadRelation> relations;
  for (auto& [key, one] : found) relations.push_back(std::move(one));
  return relations;
}

void drop_repeated(const LoadOptions& options, std::vector<ReadRelation>& relations, Dataset& data) {
  std::size_t repeated = 0;
  for (ReadRelation& relation : relations) {
    if (data.reading.duplicates != Duplicates::keep_all) drop_repeated(relation);
    repeated += relation.repeated;
  }
  if (repeated == 0) return;
  const std::string text = fmt::format("{}: {} repeated within a relation", files_with_edges(data.reading),
                                       counted(repeated, "edge is", "edges are"));
  if (data.reading.duplicates == Duplicates::refuse) throw DataError(text);
  if (!options.is_for_model())
    data.notes.push_back(fmt::format("{}; {} keep_all keeps them", text, setting("data.duplicates")));
}

io::EdgeListResult read_list(const DataConfig& config, const LoadOptions& options, const io::NodeTable& nodes) {
  std::vector<std::string> features;
  if (!config.edge_kind.empty()) features.push_back(config.edge_kind);
  return io::read_edge_list(
      config.edges, {.source_column = config.source,
                     .target_column = config.target,
                     .preferred_source = options.naming_columns.source,
                     .preferred_target = options.naming_columns.target,
                     .ignore_weights = true,
                     .feature_columns = features,
                     .missing = io::missing_texts(config.missing),
                     .categorical = features,
                     .known_nodes = config.nodes.empty() ? nullptr : &nodes.names,
                     .nodes_header = nodes.id_column,
                     .reads_types = false,
                     .unknown_nodes = config.unknown_nodes});
}

/// Reads the columns of the list, which each relation has in which it has values.
void read_columns_of(std::vector<ReadRelation>& relations, const io::EdgeListResult& list, const LoadOptions& options,
                     Dataset& data) {
  const io::NodeTable table = read_columns(data.reading, data.reading.relations, list, options);
  for (std::size_t r = 0; r < relations.size(); ++r)
    take_columns(table, data.reading.relations[r], options, data, relations[r]);
  if (!relations.empty()) relations.front().others = list.report.unused_columns;
  take_column_names(relations, data.reading);
  std::vector<std::string> unused = list.report.unused_columns;
  std::erase_if(unused, [&](const std::string& name) { return table.find(name) != nullptr; });
  if (!options.is_for_model()) note_unused_columns(data.reading.edges.text(), unused, options, data);
}

/// The nodes of a graph file, and its edges as those of a list; their feature is the relation.
io::EdgeListResult read_graph_as_list(const LoadOptions& options, Dataset& data, io::NodeTable& table) {
  const DataConfig asked = data.reading;
  if (!asked.edge_features.empty())
    throw UsageError(fmt::format("data.edge_features: between kinds of nodes is for edge lists ({})",
                                 setting("data.edges")));
  if (!asked.edge_kind.empty()) {
    data.reading.edge_features = {asked.edge_kind};
    data.reading.categorical.push_back(asked.edge_kind);
  }
  io::GraphFile file = read_graph(with_text(options, asked.node_kind), data);
  data.reading = asked;
  data.reading.directed = graph_options(asked, file).direction == graph::Direction::directed;
  table = std::move(file.nodes);
  io::EdgeListResult list;
  list.files = asked.graph;
  list.names = std::move(file.names);
  list.edges = std::move(file.edges);
  list.report.features = std::move(file.edge_features);
  for (graph::EdgeIndex e = 0; e < file.edge_lines.size(); ++e) list.lines.push_back({e, file.edge_lines[e]});
  return list;
}

/// Forgets columns that only other kinds have.
void drop_foreign_names(const io::NodeTable& all, const ReadKind& labelled, DataConfig& config) {
  if (!labelled.table) return;
  for (std::vector<std::string>* names : {&config.ignore, &config.categorical})
    std::erase_if(*names, [&](const std::string& name) {
      return all.find(name) != nullptr && labelled.table->find(name) == nullptr;
    });
}

/// Moves the kind to the front; the places of kinds in relations follow.
void put_first(const std::string& labelled, std::vector<ReadKind>& kinds, std::vector<ReadRelation>& relations) {
  const auto found = std::ranges::find(kinds, labelled, &ReadKind::name);
  const auto place = static_cast<std::size_t>(found - kinds.begin());
  std::rotate(kinds.begin(), found, found + 1);
  const auto moved = [&](std::size_t kind) { return kind == place ? 0 : kind < place ? kind + 1 : kind; };
  for (ReadRelation& read : relations) {
    read.relation.source = moved(read.relation.source);
    read.relation.target = moved(read.relation.target);
  }
}

}  // namespace

bool has_kind_columns(const DataConfig& config) { return !(config.node_kind.empty() && config.edge_kind.empty()); }

Dataset read_kind_columns(const DataConfig& config, const LoadOptions& options) {
  check_settings(config);
  Dataset data;
  data.reading = config;
  io::NodeTable table;
  if (!config.nodes.empty()) table = read_nodes(with_text(options, config.node_kind), data.reading);
  const io::EdgeListResult read = config.graph.empty() ? read_list(data.reading, options, table)
                                                       : read_graph_as_list(options, data, table);
  if (!config.nodes.empty()) add_rows(read.names, table);
  const KindOfNodes nodes(table, config, read.names.size());
  std::vector<ReadRelation> relations = relations_of(read, nodes, data.reading);
  drop_repeated(options, relations, data);
  data.reading.relations.clear();
  for (const ReadRelation& one : relations)
    data.reading.relations.push_back(name_of_relation(nodes.kinds[one.relation.source], one.relation.name,
                                                      nodes.kinds[one.relation.target]));
  read_columns_of(relations, read, options, data);
  std::optional<std::size_t> asked;
  if (is_of_links(config)) asked = asked_relation(config, data.reading.relations);
  const std::string labelled =
      asked ? nodes.kinds[relations[*asked].relation.source] : labelled_kind(table, nodes, data.reading);
  if (asked && !options.split_columns.empty())
    data.edge_table = io::rows_of(read_edge_table(data.reading, options, options.split_columns, read),
                                  relations[*asked].rows);
  const std::vector<std::string> ignored = data.reading.ignore;
  take_names(labelled, nodes.kinds, data.reading);
  std::vector<ReadKind> kinds = tables_of_kinds(table, read.names, nodes, labelled, ignored, data.reading);
  put_first(labelled, kinds, relations);
  drop_foreign_names(table, kinds.front(), data.reading);
  join_kinds(std::move(kinds), std::move(relations), asked, options, data);
  return data;
}

}  // namespace edgewise::train
