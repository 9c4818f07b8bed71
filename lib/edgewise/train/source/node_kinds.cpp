#include "edgewise/train/source/node_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/similar_node.hpp"
#include "edgewise/io/text_reader.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/network.hpp"
#include "edgewise/train/source/read_edges.hpp"

namespace edgewise::train {
namespace {

/// Edges as they were asked for.
struct WantedRelation {
  std::string source, name, target;
  FileList files;

  std::string text() const { return fmt::format("{}:{}:{}", source, name, target); }
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
  std::ranges::sort(relations, {}, [](const WantedRelation& one) { return std::tie(one.source, one.target, one.name); });
  return relations;
}

/// What is for edges between nodes of one kind.
void refuse_settings(const DataConfig& config) {
  const auto refuse = [](std::string_view member, std::string_view why) {
    throw UsageError(fmt::format("data.{}: {}", member, why));
  };
  if (!config.edges.has_names())
    refuse("edges", "expected KIND:RELATION:KIND=FILE, such as people:buys:products=purchases.csv, as the nodes have "
                    "kinds");
  if (!config.nodes.empty() && !config.nodes.has_names())
    refuse("nodes", "expected KIND=FILE, such as people=people.csv, as the edges are between kinds");
  if (!config.features.empty()) refuse("features", "is for networks of one kind of nodes; give a table of each kind");
  if (!config.weight.empty()) refuse("weight", "edges between kinds of nodes have no weights");
  if (!config.edge_features.empty()) refuse("edge_features", "the feature of an edge between kinds is its relation");
  if (config.component != Component::all) refuse("component", "is for networks of one kind of nodes");
  if (config.combining()) refuse("duplicates", "expected keep_first, keep_all or refuse for edges between kinds");
}

/// Place of the relation whose ties are learnt: of DataConfig::relation, else the only one.
std::size_t asked_relation(const DataConfig& config, const std::vector<WantedRelation>& relations) {
  std::vector<std::string> names;
  for (const WantedRelation& relation : relations) names.push_back(relation.text());
  if (config.relation.empty() && relations.size() == 1) return 0;
  const auto found = std::ranges::find(names, config.relation);
  if (found == names.end())
    throw UsageError(fmt::format("data.relation: name the relation whose ties are learnt ({} {}), one of {}{}{}",
                                 setting("data.relation"), names.front(), fmt::join(names, ", "),
                                 config.relation.empty() ? "" : fmt::format("; got \"{}\"", config.relation),
                                 config.relation.empty() ? "" : did_you_mean(config.relation, names)));
  return static_cast<std::size_t>(found - names.begin());
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

/// The kind that a column's name begins with, of several the longest; empty if there is none.
std::string kind_of_column(const std::string& name, const std::vector<std::string>& kinds) {
  std::string found;
  for (const std::string& kind : kinds)
    if (name.size() > kind.size() + 1 && name.starts_with(kind) && name[kind.size()] == '.' &&
        kind.size() > found.size())
      found = kind;
  return found;
}

[[noreturn]] void refuse_label(const std::string& label, const std::vector<std::string>& kinds) {
  const std::string before = label.substr(0, label.find('.'));
  throw UsageError(fmt::format("data.label: expected KIND.COLUMN with one of the kinds {}, got \"{}\"{}",
                               fmt::join(kinds, ", "), label,
                               before == label ? "" : did_you_mean(before, kinds)));
}

/// The kind that has the labels: of DataConfig::label, else as a model says, else the first.
std::string kind_of_labels(const std::vector<std::string>& kinds, const DataConfig& config) {
  std::set<std::string> found;
  for (const std::string& label : config.label) {
    std::string kind = kind_of_column(label, kinds);
    if (kind.empty()) kind = config.label_kind;
    if (kind.empty()) refuse_label(label, kinds);
    found.insert(std::move(kind));
  }
  if (found.size() > 1)
    throw UsageError(fmt::format("data.label: expected labels of one kind, got those of {}", fmt::join(found, ", ")));
  if (!found.empty()) return *found.begin();
  if (config.label_kind.empty()) return kinds.front();
  if (std::ranges::count(kinds, config.label_kind) == 0)
    throw UsageError(fmt::format("data.label_kind: expected one of the kinds {}, got \"{}\"{}", fmt::join(kinds, ", "),
                                 config.label_kind, did_you_mean(config.label_kind, kinds)));
  return config.label_kind;
}

/// The names of columns of this kind, without it.
std::vector<std::string> names_within(const std::string& kind, const std::vector<std::string>& names,
                                      const std::vector<std::string>& kinds) {
  std::vector<std::string> own;
  for (const std::string& name : names)
    if (kind_of_column(name, kinds) == kind) own.push_back(name.substr(kind.size() + 1));
  return own;
}

/// Leaves the columns of the kind with the labels in `names`, called as in their table.
void take_names(const std::string& kind, const std::vector<std::string>& kinds, std::vector<std::string>& names) {
  std::vector<std::string> own;
  for (std::string& name : names) {
    const std::string of = kind_of_column(name, kinds);
    if (of.empty()) own.push_back(std::move(name));
    if (of == kind) own.push_back(name.substr(kind.size() + 1));
  }
  names = std::move(own);
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
  const std::vector<std::string> ignored = names_within(kind, config.ignore, kinds);
  std::erase_if(table.columns, [&](const io::Column& column) { return std::ranges::count(ignored, column.name) > 0; });
  for (io::Column& column : table.columns) column.name = fmt::format("{}.{}", kind, column.name);
  return table;
}

/// What is done with edges to nodes that a table does not list.
class KindNodes {
 public:
  KindNodes(std::vector<std::string> kinds, io::UnknownNodes unknown)
      : kinds_(std::move(kinds)), names_(kinds_.size()), has_table_(kinds_.size()), unknown_(unknown) {}

  std::size_t place_of(const std::string& kind) const {
    return static_cast<std::size_t>(std::ranges::find(kinds_, kind) - kinds_.begin());
  }
  void set_table(std::size_t kind, const graph::NodeNames& names) {
    names_[kind] = names;
    has_table_[kind] = true;
  }
  const std::vector<std::string>& kinds() const { return kinds_; }
  graph::NodeNames& names(std::size_t kind) { return names_[kind]; }
  bool has_table(std::size_t kind) const { return has_table_[kind]; }

  /// The node of a name in the edges; nothing if its edges are left out. `where` is called for an error.
  template <class Where>
  std::optional<graph::Node> find(std::size_t kind, std::string_view name, const Where& where) {
    if (!has_table_[kind] || unknown_ == io::UnknownNodes::add) return names_[kind].add(name);
    const std::optional<graph::Node> node = names_[kind].find(name);
    if (node || unknown_ == io::UnknownNodes::drop) return node;
    throw DataError(where(), fmt::format("unknown node {} {}: it is not among the {} {} of the table; {} drop leaves such "
                                         "edges out, add adds the nodes without attributes{}",
                                         kinds_[kind], io::quote(name), names_[kind].size(), kinds_[kind],
                                         setting("data.unknown_nodes"), io::similar_node_hint(names_[kind], name)));
  }

 private:
  std::vector<std::string> kinds_;
  std::vector<graph::NodeNames> names_;
  std::vector<bool> has_table_;
  io::UnknownNodes unknown_;
};

/// Edges of a relation between nodes of the kinds at its ends.
struct RelationEdges {
  std::vector<std::pair<graph::Node, graph::Node>> ends;
  std::vector<std::size_t> rows;  ///< Of each edge its number among the edges in the files.
  std::size_t dropped = 0;   ///< To nodes that are not in a table.
  std::size_t repeated = 0;  ///< Left out.
};

/// Leaves out edges that are there already, also the other way round if both ways are alike.
void drop_repeated(bool is_undirected, RelationEdges& edges) {
  std::unordered_set<std::uint64_t> seen;
  std::size_t kept = 0;
  for (std::size_t e = 0; e < edges.ends.size(); ++e) {
    auto [from, to] = edges.ends[e];
    if (is_undirected && from > to) std::swap(from, to);
    if (!seen.insert(std::uint64_t{from} << 32 | to).second) continue;
    edges.ends[kept] = edges.ends[e];
    edges.rows[kept++] = edges.rows[e];
  }
  edges.repeated = edges.ends.size() - kept;
  edges.ends.resize(kept);
  edges.rows.resize(kept);
}

std::string file_of(const WantedRelation& relation) { return fmt::format("{} ({})", relation.text(), relation.files); }

io::EdgeListResult read_list(const WantedRelation& relation, const DataConfig& config, const LoadOptions& options) {
  return io::read_edge_list(
      relation.files, {.preferred_source = config.source.empty() ? options.naming_columns.source : config.source,
                       .preferred_target = config.target.empty() ? options.naming_columns.target : config.target,
                       .ignore_weights = true,
                       .missing = io::missing_texts(config.missing),
                       .are_kinds_apart = relation.source != relation.target,
                       .reads_types = false});
}

/// Of the relation that is asked for, also the columns that its ties are split by.
RelationEdges read_relation(const WantedRelation& wanted, bool is_undirected, bool is_asked, const LoadOptions& options,
                            Dataset& data, KindNodes& nodes) {
  const io::EdgeListResult read = read_list(wanted, data.reading, options);
  const std::size_t source = nodes.place_of(wanted.source), target = nodes.place_of(wanted.target);
  RelationEdges edges;
  for (graph::EdgeIndex e = 0; e < read.edges.size(); ++e) {
    const auto where = [&] { return read.where(e); };
    const auto from = nodes.find(source, read.names[read.edges.sources[e]], where);
    const auto to = nodes.find(target, read.names[read.edges.targets[e]], where);
    if (!from || !to) {
      ++edges.dropped;
      continue;
    }
    edges.ends.emplace_back(*from, *to);
    edges.rows.push_back(e);
  }
  if (data.reading.duplicates != Duplicates::keep_all) drop_repeated(is_undirected, edges);
  if (edges.repeated > 0 && data.reading.duplicates == Duplicates::refuse)
    throw DataError(fmt::format("{}: {}", file_of(wanted),
                                counted(edges.repeated, "edge is there twice", "edges are there twice")));
  if (is_asked && !options.split_columns.empty()) {
    DataConfig of_relation = data.reading;
    of_relation.edges = wanted.files;
    data.edge_table =
        io::rows_of(read_edge_table(of_relation, options, options.split_columns, read), edges.rows);
  }
  if (options.is_for_model()) return edges;
  const auto note = [&](const std::string& text) {
    data.notes.push_back(fmt::format("{}: {}", file_of(wanted), text));
  };
  for (const std::string& doubt : read.report.doubts) note(doubt);
  if (edges.ends.empty()) note("has no edges");
  if (edges.dropped > 0)
    note(fmt::format("leaves out {} to nodes that are not in a table", counted(edges.dropped, "edge")));
  if (edges.repeated > 0)
    note(fmt::format("{} repeated; {} keep_all keeps them", counted(edges.repeated, "edge is", "edges are"),
                     setting("data.duplicates")));
  if (!read.report.unused_columns.empty())
    note(fmt::format("not used: {}", fmt::join(read.report.unused_columns, ", ")));
  return edges;
}

/// Throws UsageError if the features of the edges, which are copied for training, would not fit the memory.
void check_fits(std::size_t edges, Eigen::Index columns, std::size_t relations) {
  constexpr double kCopies = 3, kGiB = 1 << 30;
  const double needed = kCopies * sizeof(float) * static_cast<double>(edges) * static_cast<double>(columns);
  if (needed <= static_cast<double>(available_memory())) return;
  throw UsageError(fmt::format("data.edges: {} between {} would take about {:.1f} GiB, which is more than is there: "
                               "give fewer relations",
                               counted(edges / 2, "edge"), counted(relations, "relation"), needed / kGiB));
}

/// The edges of all relations, each with its reverse, between nodes of one index space.
graph::EdgeList union_of(const NodeKinds& kinds, const std::vector<RelationEdges>& relations) {
  std::size_t edges = 0;
  Eigen::Index columns = 0;
  graph::EdgeList all;
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const Relation& relation = kinds.relations[r];
    edges += 2 * relations[r].ends.size();
    columns += relation.is_undirected ? 1 : 2;
    all.feature_names.push_back(relation.name);
    if (!relation.is_undirected) all.feature_names.push_back(relation.name + " (reverse)");
  }
  check_fits(edges, columns, relations.size());
  all.features = Matrix::Zero(static_cast<Eigen::Index>(edges), columns);
  Eigen::Index column = 0;
  const auto add = [&](graph::Node from, graph::Node to, Eigen::Index feature) {
    all.features(static_cast<Eigen::Index>(all.sources.size()), feature) = 1;
    all.sources.push_back(from);
    all.targets.push_back(to);
  };
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const Relation& relation = kinds.relations[r];
    const graph::Node source = kinds.kinds[relation.source].first, target = kinds.kinds[relation.target].first;
    const Eigen::Index reverse = column + (relation.is_undirected ? 0 : 1);
    for (const auto& [from, to] : relations[r].ends) {
      add(source + from, target + to, column);
      if (!(relation.is_undirected && from == to)) add(target + to, source + from, reverse);
    }
    column = reverse + 1;
  }
  all.features.conservativeResize(static_cast<Eigen::Index>(all.size()), columns);
  return all;
}

/// Says which kinds have no table, or no edges.
void note_kinds(const NodeKinds& kinds, KindNodes& nodes, Dataset& data) {
  std::vector<std::string> with_table;
  for (std::size_t k = 0; k < kinds.kinds.size(); ++k)
    if (nodes.has_table(k)) with_table.push_back(kinds.kinds[k].name);
  for (std::size_t k = 0; k < kinds.kinds.size(); ++k) {
    const NodeKind& kind = kinds.kinds[k];
    const bool has_edges = std::ranges::any_of(kinds.relations, [&](const Relation& relation) {
      return relation.edges > 0 && (relation.source == k || relation.target == k);
    });
    if (!nodes.has_table(k))
      data.notes.push_back(fmt::format("the kind {} has no table ({} {}=FILE): its {} are those that edges name{}",
                                       kind.name, setting("data.nodes"), kind.name, counted(kind.count, "node"),
                                       did_you_mean(kind.name, with_table)));
    else if (kind.count == 0)
      data.notes.push_back(fmt::format("{}: the kind {} has no nodes", data.reading.nodes.of(kind.name), kind.name));
    else if (!has_edges)
      data.notes.push_back(fmt::format("the kind {} has no edges", kind.name));
  }
}

/// Reads the tables; the first is that of the items.
void read_tables(const LoadOptions& options, Dataset& data, KindNodes& nodes, NodeKinds& made) {
  const std::vector<std::string>& kinds = nodes.kinds();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    made.kinds.push_back({.name = kinds[k]});
    if (data.reading.nodes.of(kinds[k]).empty()) continue;
    io::NodeTable table = read_kind(kinds[k], kinds, k == 0, data.reading, options);
    nodes.set_table(k, table.names);
    (k == 0 ? data.table : made.kinds[k].table) = std::move(table);
  }
  if (!data.reading.label.empty() && data.table.columns.empty())
    throw UsageError(fmt::format("data.label: the kind {} has no table with labels ({} {}=FILE)", kinds.front(),
                                 setting("data.nodes"), kinds.front()));
  for (std::vector<std::string>* names : {&data.reading.label, &data.reading.ignore, &data.reading.categorical})
    take_names(kinds.front(), kinds, *names);
  data.reading.label_kind = kinds.front();
}

/// Gives each kind its range of the nodes, and the names of all.
graph::NodeNames number_nodes(KindNodes& nodes, Dataset& data, NodeKinds& made) {
  graph::NodeNames all;
  for (std::size_t k = 0; k < made.kinds.size(); ++k) {
    NodeKind& kind = made.kinds[k];
    const graph::NodeNames& names = nodes.names(k);
    kind.first = static_cast<graph::Node>(all.size());
    kind.count = static_cast<graph::Node>(names.size());
    for (graph::Node node = 0; node < names.size(); ++node) all.add(node_name(kind.name, names[node]));
    io::NodeTable& table = k == 0 ? data.table : kind.table;
    if (nodes.has_table(k)) add_rows(names, table);
  }
  made.items = nodes.names(0);
  return all;
}

}  // namespace

bool names_kinds(const DataConfig& config) { return config.nodes.has_names() || config.edges.has_names(); }

std::string node_name(std::string_view kind, std::string_view name) { return fmt::format("{}:{}", kind, name); }

Dataset read_node_kinds(const DataConfig& config, const LoadOptions& options) {
  if (options.take_edges) throw UsageError("data.edges: networks of several kinds of nodes cannot be frozen");
  refuse_settings(config);
  const std::vector<WantedRelation> wanted = wanted_relations(config);
  std::vector<std::string> names = wanted_kinds(config, wanted);
  std::optional<std::size_t> asked;
  if (is_of_links(config)) asked = asked_relation(config, wanted);
  const std::string labelled = asked ? wanted[*asked].source : kind_of_labels(names, config);
  std::ranges::stable_partition(names, [&](const std::string& name) { return name == labelled; });
  Dataset data;
  data.reading = config;
  NodeKinds made;
  KindNodes nodes(std::move(names), config.unknown_nodes);
  read_tables(options, data, nodes, made);
  std::vector<RelationEdges> edges;
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    const WantedRelation& one = wanted[r];
    const bool is_undirected = one.source == one.target && !config.directed;
    edges.push_back(read_relation(one, is_undirected, asked == r, options, data, nodes));
    made.relations.push_back({.name = one.name,
                              .source = nodes.place_of(one.source),
                              .target = nodes.place_of(one.target),
                              .edges = edges.back().ends.size(),
                              .is_undirected = is_undirected});
  }
  made.asked = asked;
  if (asked) data.reading.relation = wanted[*asked].text();
  graph::NodeNames all = number_nodes(nodes, data, made);
  data.name = fmt::format("{}", fmt::join(nodes.kinds(), ", "));
  data.graph = graph::Graph(std::move(all), union_of(made, edges),
                            {.direction = graph::Direction::directed, .duplicates = graph::DuplicateEdges::keep_all});
  if (!options.is_for_model()) note_kinds(made, nodes, data);
  data.kinds = std::move(made);
  load_labels(options, data);
  add_encodings(data);
  return data;
}

}  // namespace edgewise::train
