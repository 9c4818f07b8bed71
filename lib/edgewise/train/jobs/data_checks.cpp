#include "edgewise/train/jobs/data_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "edgewise/core/error.hpp"

namespace edgewise::train {
namespace {

/// A member of "data", and whether it is given.
struct Member {
  const char* name;
  bool is_given;
};

/// Throws UsageError for members that molecules do not have, and for ignored columns that are not in their table.
void check_molecule_members(const JobData& data) {
  const DataConfig& config = data.config;
  for (const auto& [name, is_given] : {Member{"id", !config.id.empty()},
                                       {"source", !config.source.empty()},
                                       {"weight", !config.weight.empty()},
                                       {"categorical", !config.categorical.empty()}})
    if (is_given)
      throw UsageError(fmt::format("data.{}: is for tables of nodes and edges, not of molecules", name));
  for (const std::string& column : config.ignore) data.table.at(column);  // throws, listing the columns
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

void check_naming_columns(const DataConfig& config) {
  if (!config.molecules.empty() || !config.dataset.empty()) return;
  if (config.nodes.empty() && !config.id.empty()) throw UsageError("data.id: is for a table of nodes (--nodes)");
  if (!config.edges.empty()) return;
  for (const auto& [name, is_given] : {Member{"source", !config.source.empty()}, {"target", !config.target.empty()}})
    if (is_given) throw UsageError(fmt::format("data.{}: is for an edge list (--edges)", name));
}

void check_members_in_use(const JobData& data) {
  if (data.graphs && data.graphs->are_molecules) check_molecule_members(data);
  if (data.has_many_graphs() && data.config.component != "all")
    throw UsageError(fmt::format("data.component: is a part of one graph; {} has many graphs", data.name));
}

}  // namespace edgewise::train
