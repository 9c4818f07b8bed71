#include "edgewise/train/source/kind_network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/source/network.hpp"
#include "edgewise/train/source/read_edges.hpp"
#include "edgewise/train/source/relation_columns.hpp"

namespace edgewise::train {
namespace {

[[noreturn]] void refuse_label(const std::string& label, const std::vector<std::string>& kinds) {
  const std::string before = label.substr(0, label.find('.'));
  throw UsageError(fmt::format("data.label: expected KIND.COLUMN with one of the kinds {}, got \"{}\"{}",
                               fmt::join(kinds, ", "), label,
                               before == label ? "" : did_you_mean(before, kinds)));
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

/// The features of all edges: of which relation they are, then their columns.
class UnionFeatures {
 public:
  explicit UnionFeatures(const std::vector<ReadRelation>& relations) {
    for (const ReadRelation& read : relations) {
      names.push_back(read.relation.name);
      if (!read.relation.is_undirected) names.push_back(read.relation.name + " (reverse)");
    }
    for (const ReadRelation& read : relations) {
      first_.push_back(static_cast<Eigen::Index>(names.size()));
      std::ranges::move(feature_names(read.columns), std::back_inserter(names));
      for (Eigen::Index column = first_.back(); const io::Column& one : read.columns) {
        if (one.is_numeric) numbers.push_back(column);
        column += one.is_numeric ? 1 : static_cast<Eigen::Index>(one.categories.size());
      }
    }
  }

  /// Those of row `row` of the relation `r`; `relation` is the place of its feature.
  void write(const ReadRelation& read, std::size_t r, std::size_t row, Eigen::Index relation, float* features) const {
    for (const Eigen::Index number : numbers) features[number] = std::numeric_limits<float>::quiet_NaN();
    features[relation] = 1;
    write_features(read.columns, row, features + first_[r]);
  }

  std::vector<std::string> names;
  std::vector<Eigen::Index> numbers;  ///< NaN for edges of other relations.

 private:
  std::vector<Eigen::Index> first_;  // of the columns of a relation
};

/// The edges of all relations, each with its reverse, between nodes of one index space.
graph::EdgeList union_of(const NodeKinds& kinds, const std::vector<ReadRelation>& relations,
                         const UnionFeatures& features) {
  const auto columns = static_cast<Eigen::Index>(features.names.size());
  std::size_t edges = 0;
  for (const ReadRelation& read : relations) edges += 2 * read.ends.size();
  check_fits(edges, columns, relations.size());
  graph::EdgeList all;
  all.feature_names = features.names;
  all.features = Matrix::Zero(static_cast<Eigen::Index>(edges), columns);
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const Relation& relation = relations[r].relation;
    const graph::Node source = kinds.kinds[relation.source].first, target = kinds.kinds[relation.target].first;
    const Eigen::Index forward = kinds.column_of(r), reverse = forward + (relation.is_undirected ? 0 : 1);
    for (std::size_t row = 0; row < relations[r].ends.size(); ++row) {
      const auto [from, to] = relations[r].ends[row];
      const auto add = [&](graph::Node one, graph::Node other, Eigen::Index feature) {
        features.write(relations[r], r, row, feature, all.features.row(static_cast<Eigen::Index>(all.size())).data());
        all.sources.push_back(one);
        all.targets.push_back(other);
      };
      add(source + from, target + to, forward);
      if (!(relation.is_undirected && from == to)) add(target + to, source + from, reverse);
    }
  }
  all.features.conservativeResize(static_cast<Eigen::Index>(all.size()), columns);
  return all;
}

/// "people.csv: ", or "" without a table.
std::string place_of_kind(const ReadKind& kind, const FileList& nodes) {
  if (!kind.table) return "";
  return fmt::format("{}: ", nodes.has_names() ? nodes.of(kind.name) : nodes);
}

/// Says which kinds have no table, or no edges.
void note_kinds(const NodeKinds& kinds, const std::vector<ReadKind>& read, Dataset& data) {
  std::vector<std::string> with_table;
  for (std::size_t k = 0; k < kinds.kinds.size(); ++k)
    if (read[k].table) with_table.push_back(kinds.kinds[k].name);
  for (std::size_t k = 0; k < kinds.kinds.size(); ++k) {
    const NodeKind& kind = kinds.kinds[k];
    const bool has_edges = std::ranges::any_of(kinds.relations, [&](const Relation& relation) {
      return relation.edges > 0 && (relation.source == k || relation.target == k);
    });
    if (!read[k].table && data.reading.edges.has_names())
      data.notes.push_back(fmt::format("the kind {} has no table ({} {}=FILE): its {} are those that edges name{}",
                                       kind.name, setting("data.nodes"), kind.name, counted(kind.count, "node"),
                                       did_you_mean(kind.name, with_table)));
    else if (kind.count == 0)
      data.notes.push_back(fmt::format("{}the kind {} has no nodes", place_of_kind(read[k], data.reading.nodes),
                                       kind.name));
    else if (!has_edges)
      data.notes.push_back(fmt::format("the kind {} has no edges", kind.name));
  }
}

/// Says which relations between the same kinds have names that differ in case alone.
void note_like_relations(const std::vector<Relation>& relations, Dataset& data) {
  std::map<std::tuple<std::size_t, std::size_t, std::string>, std::string_view> seen;
  for (const Relation& relation : relations) {
    std::string lower = relation.name;
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    const auto [like, is_new] = seen.emplace(std::tuple(relation.source, relation.target, lower), relation.name);
    if (!is_new)
      data.notes.push_back(
          fmt::format("the relations {} and {} differ in case alone: if they are one, write both alike",
                      io::quote(like->second), io::quote(relation.name)));
  }
}

/// Gives each kind its range of the nodes, and the names of all.
graph::NodeNames number_nodes(const std::vector<ReadKind>& read, NodeKinds& made) {
  graph::NodeNames all;
  for (const ReadKind& kind : read) {
    made.kinds.push_back({.name = kind.name,
                          .first = static_cast<graph::Node>(all.size()),
                          .count = static_cast<graph::Node>(kind.names.size())});
    for (graph::Node node = 0; node < kind.names.size(); ++node)
      all.add(fmt::format("{}:{}", kind.name, kind.names[node]));
  }
  made.items = read.front().names;
  return all;
}

/// Hands over the tables, with a row for each node; that of the first kind is the items'.
void take_tables(std::vector<ReadKind>& read, NodeKinds& made, Dataset& data) {
  for (std::size_t k = 0; k < read.size(); ++k) {
    if (!read[k].table) continue;
    io::NodeTable& table = k == 0 ? data.table : made.kinds[k].table;
    table = std::move(*read[k].table);
    add_rows(read[k].names, table);
  }
  if (!data.reading.label.empty() && data.table.columns.empty())
    throw UsageError(fmt::format("data.label: the kind {} has no table with labels ({} {}=FILE)", read.front().name,
                                 setting("data.nodes"), read.front().name));
}

/// Leaves the columns of the kind with the labels in `names`, called as in their table.
void take_own(const std::string& kind, const std::vector<std::string>& kinds, std::vector<std::string>& names) {
  std::vector<std::string> own;
  for (std::string& name : names) {
    const std::string of = kind_of_column(name, kinds);
    if (of.empty()) own.push_back(std::move(name));
    if (of == kind) own.push_back(name.substr(kind.size() + 1));
  }
  names = std::move(own);
}

}  // namespace

void drop_repeated(ReadRelation& read) {
  std::unordered_set<std::uint64_t> seen;
  std::size_t kept = 0;
  for (std::size_t e = 0; e < read.ends.size(); ++e) {
    auto [from, to] = read.ends[e];
    if (read.relation.is_undirected && from > to) std::swap(from, to);
    if (!seen.insert(std::uint64_t{from} << 32 | to).second) continue;
    read.ends[kept] = read.ends[e];
    read.rows[kept++] = read.rows[e];
  }
  read.repeated = read.ends.size() - kept;
  read.ends.resize(kept);
  read.rows.resize(kept);
}

void refuse_settings_of_one_kind(const DataConfig& config) {
  const auto refuse = [](std::string_view member, std::string_view why) {
    throw UsageError(fmt::format("data.{}: {}", member, why));
  };
  if (!config.features.empty()) refuse("features", "is for networks of one kind of nodes; give a table of each kind");
  if (!config.weight.empty())
    refuse("weight", fmt::format("edges between kinds of nodes have no weights: make the column a feature ({} {})",
                                 setting("data.edge_features"), config.weight));
  if (config.component != Component::all) refuse("component", "is for networks of one kind of nodes");
  if (config.combining()) refuse("duplicates", "expected keep_first, keep_all or refuse for edges between kinds");
}

std::string name_of_relation(std::string_view source, std::string_view name, std::string_view target) {
  return fmt::format("{}:{}:{}", source, name, target);
}

std::size_t asked_relation(const DataConfig& config, const std::vector<std::string>& relations) {
  if (config.relation.empty() && relations.size() == 1) return 0;
  const auto found = std::ranges::find(relations, config.relation);
  if (found == relations.end())
    throw UsageError(fmt::format("data.relation: name the relation whose ties are learnt ({} {}), one of {}{}{}",
                                 setting("data.relation"), relations.empty() ? "" : relations.front(),
                                 fmt::join(relations, ", "),
                                 config.relation.empty() ? "" : fmt::format("; got \"{}\"", config.relation),
                                 config.relation.empty() ? "" : did_you_mean(config.relation, relations)));
  return static_cast<std::size_t>(found - relations.begin());
}

std::string kind_of_column(const std::string& name, const std::vector<std::string>& kinds) {
  std::string found;
  for (const std::string& kind : kinds)
    if (name.size() > kind.size() + 1 && name.starts_with(kind) && name[kind.size()] == '.' &&
        kind.size() > found.size())
      found = kind;
  return found;
}

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

void take_names(const std::string& kind, const std::vector<std::string>& kinds, DataConfig& config) {
  for (std::vector<std::string>* names : {&config.label, &config.ignore, &config.categorical})
    take_own(kind, kinds, *names);
  config.label_kind = kind;
}

std::vector<std::string> candidates_of_kinds(const Dataset& data) {
  if (!data.kinds) return {};
  std::vector<std::string> models = {"boosted_trees", "neighbour_trees", "mlp", "sage", "rgcn", "gat", "rgat"};
  if (data.labels.has_classes()) models.insert(models.begin(), "label_propagation");
  return models;
}

void join_kinds(std::vector<ReadKind> kinds, std::vector<ReadRelation> relations, std::optional<std::size_t> asked,
                const LoadOptions& options, Dataset& data) {
  NodeKinds made;
  graph::NodeNames names = number_nodes(kinds, made);
  for (ReadRelation& read : relations) {
    read.relation.edges = read.ends.size();
    made.relations.push_back(read.relation);
  }
  made.asked = asked;
  if (asked) data.reading.relation = made.names_of_relations()[*asked];
  std::vector<std::string> texts;
  for (const ReadKind& kind : kinds) texts.push_back(kind.name);
  data.name = fmt::format("{}", fmt::join(texts, ", "));
  if (options.is_for_model()) note_far_values(relations, kinds, data);
  const UnionFeatures features(relations);
  graph::EdgeList edges = union_of(made, relations, features);
  scale_edge_numbers(features.numbers, {}, options.is_for_model(), data.reading, edges);
  data.graph = graph::Graph(std::move(names), std::move(edges),
                            {.direction = graph::Direction::directed, .duplicates = graph::DuplicateEdges::keep_all});
  if (!options.is_for_model()) {
    note_kinds(made, kinds, data);
    note_like_relations(made.relations, data);
  }
  take_tables(kinds, made, data);
  data.kinds = std::move(made);
  load_labels(options, data);
  add_encodings(data);
}

}  // namespace edgewise::train
