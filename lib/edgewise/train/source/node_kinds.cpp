#include "edgewise/train/source/node_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/similar_node.hpp"
#include "edgewise/io/text_reader.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/kind_network.hpp"
#include "edgewise/train/source/read_edges.hpp"
#include "edgewise/train/source/relation_columns.hpp"

namespace edgewise::train {
namespace {

/// Edges as they were asked for.
struct WantedRelation {
  std::string source, name, target;
  FileList files;

  std::string text() const { return name_of_relation(source, name, target); }
};

WantedRelation parse_relation(const std::string& text, FileList files) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(':'); end != std::string::npos; end = text.find(':', begin = end + 1))
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  if (parts.size() != 3 || std::ranges::any_of(parts, &std::string::empty))
    throw UsageError(fmt::format(
        "data.edges: expected KIND:RELATION:KIND=FILE, such as people:buys:products=purchases.csv, got {}={}", text,
        files));
  return {parts[0], parts[1], parts[2], std::move(files)};
}

/// By ends and name, so that the order in which they were given changes nothing.
std::vector<WantedRelation> wanted_relations(const DataConfig& config) {
  const std::set<std::string> names(config.edges.names().begin(), config.edges.names().end());
  std::vector<WantedRelation> relations;
  for (const std::string& name : names) relations.push_back(parse_relation(name, config.edges.of(name)));
  std::ranges::sort(relations, {},
                    [](const WantedRelation& one) { return std::tie(one.source, one.target, one.name); });
  return relations;
}

void check_names(const DataConfig& config) {
  if (!config.edges.has_names())
    throw UsageError("data.edges: expected KIND:RELATION:KIND=FILE, such as people:buys:products=purchases.csv, as the "
                     "nodes have kinds");
  if (!config.nodes.empty() && !config.nodes.has_names())
    throw UsageError("data.nodes: expected KIND=FILE, such as people=people.csv, as the edges are between kinds");
  if (!config.node_kind.empty() || !config.edge_kind.empty())
    throw UsageError(fmt::format("data.{}: the files already name kinds and relations",
                                 config.node_kind.empty() ? "edge_kind" : "node_kind"));
}

void check_kind(const std::string& kind) {
  if (kind.find_first_of(":\"") != std::string::npos || kind.empty())
    throw UsageError(fmt::format("data.nodes: expected the name of a kind without a colon, got {}", io::quote(kind)));
}

/// The kinds that tables or edges name, by name.
std::vector<std::string> wanted_kinds(const DataConfig& config, const std::vector<WantedRelation>& relations) {
  std::set<std::string> kinds(config.nodes.names().begin(), config.nodes.names().end());
  for (const WantedRelation& relation : relations) kinds.insert({relation.source, relation.target});
  for (const std::string& kind : kinds) check_kind(kind);
  return {kinds.begin(), kinds.end()};
}

/// The names of columns of this kind, without it.
std::vector<std::string> names_within(const std::string& kind, const std::vector<std::string>& names,
                                      const std::vector<std::string>& kinds) {
  std::vector<std::string> own;
  for (const std::string& name : names)
    if (kind_of_column(name, kinds) == kind) own.push_back(name.substr(kind.size() + 1));
  return own;
}

io::NodeTable read_kind(const std::string& kind, const std::vector<std::string>& kinds, bool is_labelled,
                        const DataConfig& config, const LoadOptions& options) {
  const io::ReadAsText all = read_as_text(config, options);
  io::ReadAsText texts{names_within(kind, all.names, kinds), all.is_all};
  if (is_labelled) std::ranges::copy(all.names, std::back_inserter(texts.names));
  io::NodeTable table = io::read_node_table(config.nodes.of(kind), {.expected = fmt::format("a table of {}", kind),
                                                                    .preferred_id =
                                                                        config.id.empty() ? kind : config.id,
                                                                    .texts = texts,
                                                                    .missing = io::missing_texts(config.missing)});
  if (is_labelled) return table;
  if (!options.is_for_model())
    for (const std::vector<std::string>* names : {&config.ignore, &config.categorical})
      for (const std::string& name : names_within(kind, *names, kinds)) table.at(name);  // throws, listing the columns
  const std::vector<std::string> ignored = names_within(kind, config.ignore, kinds);
  std::erase_if(table.columns, [&](const io::Column& column) { return std::ranges::count(ignored, column.name) > 0; });
  for (io::Column& column : table.columns) column.name = fmt::format("{}.{}", kind, column.name);
  return table;
}

/// Finds the nodes of edges, and decides what is done with those that a table does not list.
class KindNodes {
 public:
  KindNodes(const std::vector<std::string>& kinds, io::UnknownNodes unknown) : unknown_(unknown) {
    for (const std::string& kind : kinds) kinds_.push_back({.name = kind});
  }

  std::size_t place_of(const std::string& kind) const {
    return static_cast<std::size_t>(std::ranges::find(kinds_, kind, &ReadKind::name) - kinds_.begin());
  }
  void set_table(std::size_t kind, io::NodeTable table) {
    kinds_[kind].names = table.names;
    kinds_[kind].table = std::move(table);
  }

  /// The node of a name in the edges; nothing if its edges are left out. `where` is called for an error.
  template <class Where>
  std::optional<graph::Node> find(std::size_t place, std::string_view name, const Where& where) {
    ReadKind& kind = kinds_[place];
    if (!kind.table || unknown_ == io::UnknownNodes::add) return kind.names.add(name);
    const std::optional<graph::Node> node = kind.names.find(name);
    if (node || unknown_ == io::UnknownNodes::drop) return node;
    throw DataError(where(),
                    fmt::format("unknown node {} {}: it is not among the {} {} of the table; {} drop leaves such "
                                "edges out, add adds the nodes without attributes{}",
                                kind.name, io::quote(name), kind.names.size(), kind.name, setting("data.unknown_nodes"),
                                io::similar_node_hint(kind.names, name)));
  }

  std::vector<ReadKind> take() { return std::move(kinds_); }

 private:
  std::vector<ReadKind> kinds_;
  io::UnknownNodes unknown_;
};

std::string file_of(const WantedRelation& relation) { return fmt::format("{} ({})", relation.text(), relation.files); }

io::EdgeListResult read_list(const WantedRelation& relation, const DataConfig& config, const LoadOptions& options) {
  const bool are_two = relation.source != relation.target;
  return io::read_edge_list(
      relation.files, {.preferred_source = config.source.empty() ? options.naming_columns.source : config.source,
                       .preferred_target = config.target.empty() ? options.naming_columns.target : config.target,
                       .ignore_weights = true,
                       .missing = io::missing_texts(config.missing),
                       .source_kind = are_two ? relation.source : "",
                       .target_kind = are_two ? relation.target : "",
                       .reads_types = false});
}

/// The edges of a list between nodes that are there.
ReadRelation find_ends(const io::EdgeListResult& list, const WantedRelation& wanted, bool is_directed,
                       KindNodes& nodes) {
  const std::size_t source = nodes.place_of(wanted.source), target = nodes.place_of(wanted.target);
  ReadRelation edges{.relation = {.name = wanted.name,
                                  .source = source,
                                  .target = target,
                                  .is_undirected = source == target && !is_directed}};
  for (graph::EdgeIndex e = 0; e < list.edges.size(); ++e) {
    const auto where = [&] { return list.where(e); };
    const auto from = nodes.find(source, list.names[list.edges.sources[e]], where);
    const auto to = nodes.find(target, list.names[list.edges.targets[e]], where);
    if (!from || !to) {
      ++edges.dropped;
      continue;
    }
    edges.ends.emplace_back(*from, *to);
    edges.rows.push_back(e);
  }
  return edges;
}

void note_list(const WantedRelation& wanted, const io::EdgeListResult& list, const ReadRelation& edges, Dataset& data) {
  const auto note = [&](const std::string& text) {
    data.notes.push_back(fmt::format("{}: {}", file_of(wanted), text));
  };
  for (const std::string& doubt : list.report.doubts) note(doubt);
  if (edges.ends.empty()) note("has no edges");
  if (edges.dropped > 0)
    note(fmt::format("leaves out {} to nodes that are not in a table", counted(edges.dropped, "edge")));
}

/// Of the relation that is asked for, also the columns that its ties are split by.
ReadRelation read_relation(const WantedRelation& wanted, bool is_asked, const LoadOptions& options, Dataset& data,
                           KindNodes& nodes) {
  const io::EdgeListResult read = read_list(wanted, data.reading, options);
  ReadRelation edges = find_ends(read, wanted, data.reading.directed, nodes);
  if (data.reading.duplicates != Duplicates::keep_all) drop_repeated(edges);
  if (edges.repeated > 0 && data.reading.duplicates == Duplicates::refuse)
    throw DataError(fmt::format("{}: {}", file_of(wanted),
                                counted(edges.repeated, "edge is there twice", "edges are there twice")));
  DataConfig of_relation = data.reading;
  of_relation.edges = wanted.files;
  take_columns(read_columns(of_relation, {wanted.text()}, read, options), wanted.text(), options, data, edges);
  edges.others = read.report.unused_columns;
  std::erase_if(edges.others, [&](const std::string& name) {
    return io::find_column(edges.columns, fmt::format("{}.{}", wanted.text(), name)) != nullptr;
  });
  if (is_asked && !options.split_columns.empty())
    data.edge_table =
        io::rows_of(read_edge_table(of_relation, options, options.split_columns, read), edges.rows);
  if (options.is_for_model()) return edges;
  note_list(wanted, read, edges, data);
  const auto note = [&](const std::string& text) {
    data.notes.push_back(fmt::format("{}: {}", file_of(wanted), text));
  };
  if (edges.repeated > 0)
    note(fmt::format("{} repeated; {} keep_all keeps them", counted(edges.repeated, "edge is", "edges are"),
                     setting("data.duplicates")));
  note_unused_columns(file_of(wanted), edges.others, options, data);
  return edges;
}

/// The relation whose edges have the labels: the one that they name, else the only one.
const WantedRelation& labelled_relation(const DataConfig& config, const std::vector<WantedRelation>& relations) {
  if (relations.size() == 1) return relations.front();
  const std::string& label = config.edge_label.front();
  for (const WantedRelation& relation : relations)
    if (label.starts_with(relation.text() + ".")) return relation;
  throw UsageError(fmt::format("data.edge_label: say which relation has the labels, as in {} {}.{}",
                               setting("data.edge_label"), relations.front().text(), label));
}

/// Reads the tables; the first kind has the labels.
void read_tables(const std::vector<std::string>& kinds, const LoadOptions& options, const DataConfig& config,
                 KindNodes& nodes) {
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (!config.nodes.of(kinds[k]).empty()) nodes.set_table(k, read_kind(kinds[k], kinds, k == 0, config, options));
}

}  // namespace

bool names_kinds(const DataConfig& config) { return config.nodes.has_names() || config.edges.has_names(); }

Dataset read_node_kinds(const DataConfig& config, const LoadOptions& options) {
  check_names(config);
  refuse_settings_of_one_kind(config);
  const std::vector<WantedRelation> wanted = wanted_relations(config);
  std::vector<std::string> names = wanted_kinds(config, wanted), texts;
  for (const WantedRelation& relation : wanted) texts.push_back(relation.text());
  std::optional<std::size_t> asked;
  if (is_of_links(config)) asked = asked_relation(config, texts);
  const std::string labelled = asked ? wanted[*asked].source : kind_of_labels(names, config);
  std::ranges::stable_partition(names, [&](const std::string& name) { return name == labelled; });
  Dataset data;
  data.reading = config;
  KindNodes nodes(names, config.unknown_nodes);
  read_tables(names, options, data.reading, nodes);
  take_names(labelled, names, data.reading);
  std::vector<ReadRelation> relations;
  for (std::size_t r = 0; r < wanted.size(); ++r)
    relations.push_back(read_relation(wanted[r], asked == r, options, data, nodes));
  take_column_names(relations, data.reading);
  join_kinds(nodes.take(), std::move(relations), asked, options, data);
  return data;
}

KindsOfRelation read_labelled_relation(const DataConfig& config, const LoadOptions& options, Dataset& data) {
  check_names(config);
  refuse_settings_of_one_kind(config);
  const std::vector<WantedRelation> all = wanted_relations(config);
  const WantedRelation& wanted = labelled_relation(config, all);
  std::vector<std::string> names = {wanted.source};
  if (wanted.target != wanted.source) names.push_back(wanted.target);
  KindNodes nodes(names, config.unknown_nodes);
  DataConfig with_all = config;  // what is ignored is left out with the columns of the edges
  with_all.ignore.clear();
  for (std::size_t k = 0; k < names.size(); ++k)
    if (!config.nodes.of(names[k]).empty())
      nodes.set_table(k, read_kind(names[k], wanted_kinds(config, all), names.size() == 1, with_all, options));
  KindsOfRelation read{.kinds = {}, .relation = {}, .list = read_list(wanted, config, options), .files = wanted.files};
  read.relation = find_ends(read.list, wanted, !config.undirected, nodes);
  read.kinds = nodes.take();
  if (options.is_for_model()) return read;
  for (std::string& label : data.reading.label)
    if (label.starts_with(wanted.text() + ".")) label.erase(0, wanted.text().size() + 1);
  note_list(wanted, read.list, read.relation, data);
  for (const std::string& kind : std::set<std::string>(config.nodes.names().begin(), config.nodes.names().end()))
    if (std::ranges::count(names, kind) == 0)
      data.notes.push_back(fmt::format("{}: not used: {} are at no end of {}{}", config.nodes.of(kind), kind,
                                       wanted.text(), did_you_mean(kind, names)));
  for (const WantedRelation& other : all)
    if (&other != &wanted)
      data.notes.push_back(fmt::format("{}: not used: labels of edges are learnt from those of their relation",
                                       file_of(other)));
  return read;
}

}  // namespace edgewise::train
