#include "edgewise/train/source/data_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/train/source/label_columns.hpp"

namespace edgewise::train {
namespace {

/// A member of "data", and whether it is given.
struct Member {
  const char* name;
  bool is_given;
};

void refuse_members(std::initializer_list<Member> members, const char* purpose) {
  for (const auto& [name, is_given] : members)
    if (is_given) throw UsageError(fmt::format("data.{}: is for {}", name, purpose));
}

/// A column of the table of nodes, or of that of graphs.
const io::Column& column_of(const JobData& data, const char* member, const std::string& name) {
  const io::NodeTable& nodes = data.node_table();
  if (const io::Column* column = nodes.find(name)) return *column;
  const io::NodeTable& table = data.table.columns.empty() ? nodes : data.table;
  if (table.file.empty())
    throw UsageError(fmt::format("data.{}: names columns of a table, but {} has none", member, data.name));
  return table.at(name);  // throws, listing the columns
}

/// Refuses what is for edges if a collection has none, and a label among the tokens.
void check_members_of_collection(const JobData& data) {
  const DataConfig& config = data.config;
  for (const std::string& column : config.token_columns)
    if (std::ranges::count(config.label, column) > 0)
      throw UsageError(fmt::format("data.token_columns: \"{}\" is to be learnt, so it is no feature", column));
  if (config.unknown_nodes == "add")
    throw UsageError(
        "data.unknown_nodes: expected refuse or drop for many graphs: a new node would be in none of them");
  if (!config.edges.empty() || !config.head.empty()) return;
  refuse_members({{"directed", config.directed},
                  {"undirected", config.undirected},
                  {"duplicates", config.duplicates != "keep_first"},
                  {"self_loops", config.self_loops != "keep"},
                  {"unknown_nodes", config.unknown_nodes != "refuse"},
                  {"encodings.degree", config.encodings.degree},
                  {"encodings.random_walk", config.encodings.random_walk > 0},
                  {"encodings.laplacian", config.encodings.laplacian > 0}},
                 "collections with edges (--edges, --head)");
}

}  // namespace

std::ptrdiff_t count_sources(const DataConfig& config) {
  return std::ranges::count_if(std::array{&config.dataset, &config.graph, &config.edges, &config.molecules, &config.tu},
                               [](const std::string* source) { return !source->empty(); });
}

void check_sources(const DataConfig& config) {
  if (!config.edge_features.empty() && config.edges.empty() && config.graph.empty())
    throw UsageError(
        "data.edge_features: are columns of an edge list (--edges) or attributes in a graph file (--graph)");
  if (config.is_collection()) {
    if (config.dataset.empty() && config.graph.empty() && config.molecules.empty() && config.tu.empty()) return;
    if (!config.dataset.empty() && config.nodes.empty() && config.texts.empty()) return;
    throw UsageError("data: a collection cannot be combined with another source of data");
  }
  if (!config.graphs.empty() || !config.order.empty() || !config.head.empty())
    throw UsageError("data: graphs, order and head are for collections (--graph-column)");
  const auto given = count_sources(config);
  if (given == 0 && !config.nodes.empty())
    throw UsageError(
        "data: a table of nodes needs edges (--edges), a column of graphs (--graph-column), or one graph per row "
        "(--grid, --sequence)");
  if (given == 0)
    throw UsageError("data: name a data set, or give an edge list (--edges), a graph file (--graph), a table of "
                     "molecules (--molecules) or a TU folder (--tu)");
  if (given > 1)
    throw UsageError(
        "data: give one of a data set, an edge list, a graph file, a table of molecules and a TU folder, not several");
  if (!config.tu.empty() && !(config.nodes.empty() && config.features.empty() && config.label.empty()))
    throw UsageError("data.tu: the set has its own nodes, features and labels (no --nodes, --features, --label)");
  if (!config.molecules.empty() && !(config.nodes.empty() && config.features.empty()))
    throw UsageError("data: a table of molecules cannot be combined with a node table or features");
  if (!config.nodes.empty() && !config.dataset.empty())
    throw UsageError("data.nodes: a data set of the catalogue has its own nodes");
}

void refuse_molecule_members(const DataConfig& config) {
  for (const auto& [name, is_given] : {Member{"smiles", !config.smiles.empty()},
                                       {"hydrogens", config.hydrogens},
                                       {"strict", config.strict},
                                       {"descriptors", !config.descriptors.empty()}})
    if (is_given)
      throw UsageError(config.dataset.empty()
                           ? fmt::format("data.{}: is for molecules (--molecules)", name)
                           : fmt::format("data.{}: is for molecules, but \"{}\" has none", name, config.dataset));
}

void check_members_in_use(const DataConfig& config, const JobData& data) {
  const bool has_edge_list = !config.edges.empty(), has_edges = has_edge_list || !config.graph.empty();
  const bool are_molecules = data.graphs && data.graphs->are_molecules;
  if (config.nodes.empty() && !data.collection)
    refuse_members({{"id", !config.id.empty()}}, "a table of nodes (--nodes)");
  if (config.nodes.empty() && !data.collection)
    refuse_members({{"unknown_nodes", config.unknown_nodes != "refuse"}},
                   "edges between the nodes of a table (--nodes)");
  if (data.config.graph.empty()) refuse_members({{"node_names", !config.node_names.empty()}}, "a graph file (--graph)");
  if (!has_edge_list)
    refuse_members({{"source", !config.source.empty()}, {"target", !config.target.empty()}}, "an edge list (--edges)");
  if (!has_edges)
    refuse_members({{"weight", !config.weight.empty()}}, "an edge list (--edges) or a graph file (--graph)");
  if (!has_edges && !data.collection)
    refuse_members({{"directed", config.directed},
                    {"undirected", config.undirected},
                    {"duplicates", config.duplicates != "keep_first"},
                    {"self_loops", config.self_loops != "keep"}},
                   "an edge list (--edges) or a graph file (--graph)");
  if (config.nodes.empty() && config.graph.empty() && !data.collection && !are_molecules)
    refuse_members({{"missing_labels", !config.missing_labels.empty()},
                    {"separator", !config.separator.empty()},
                    {"relation", !config.relation.empty()}},
                   "labels in a table of nodes, graphs or molecules");
  if (config.nodes.empty() && !has_edges && !data.collection && !are_molecules)
    refuse_members({{"missing", !config.missing.empty()}}, "files of your own");
  if (!data.collection)
    refuse_members({{"text", !config.text.empty()},
                    {"tokens", config.tokens != "words"},
                    {"token_columns", !config.token_columns.empty()},
                    {"affixes", config.affixes > 0},
                    {"value_columns", !config.value_columns.empty()}},
                   "collections (--texts, --graph-column)");
  if (data.collection) check_members_of_collection(data);
  if (data.has_many_graphs() || data.features.columns() == 0)
    refuse_members({{"normalise_rows", config.normalise_rows}}, "ready-made features of nodes (--features)");
  if (data.has_many_graphs() && config.component != "all")
    throw UsageError(fmt::format("data.component: is a part of one graph; {} has many graphs", data.name));
  for (const std::string& name : config.ignore) column_of(data, "ignore", name);
  if (!config.relation.empty() && config.relation != kNoRelation) column_of(data, "relation", config.relation);
}

void check_categorical(const DataConfig& config, const JobData& data) {
  for (const std::string& name : config.categorical_of_nodes())
    if (column_of(data, "categorical", name).is_numeric)
      throw UsageError(fmt::format(
          "data.categorical: is for your own tables and graph files; the column \"{}\" of {} is read as numbers", name,
          data.name));
}

}  // namespace edgewise::train
