#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/graph_file.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/defaults.hpp"
#include "edgewise/train/source/edge_items.hpp"
#include "edgewise/train/source/kinds.hpp"
#include "edgewise/train/source/node_kinds.hpp"
#include "edgewise/train/source/sources.hpp"

namespace edgewise::train {
namespace {

void check_edge_labels(const DataConfig& config) {
  if (config.edges.empty())
    throw UsageError(fmt::format("data.edge_label: names a column of an edge list, but there is none ({})",
                                 setting("data.edges")));
  if (names_kinds(config) && !config.relation.empty())
    throw UsageError(fmt::format("data.relation: an edge label names its relation itself, as in {} {}.{}",
                                 setting("data.edge_label"), config.relation, config.edge_label.front()));
  if (is_of_links(config))
    throw UsageError(fmt::format("data.task: links learns which ties there are, not a column; leave out {}",
                                 setting("data.edge_label")));
  if (const auto& files = config.edges.files(); std::ranges::any_of(files, io::is_graph_file))
    throw UsageError(fmt::format("data.edge_label: is for columns of an edge list (CSV), not for graph files"));
  const auto refuse = [](bool is_given, const char* member, const char* reason) {
    const std::string path = fmt::format("data.{}", member);
    if (is_given) throw UsageError(fmt::format("{}: {}; leave out {}", path, reason, setting(path)));
  };
  refuse(!config.edge_features.empty(), "edge_features", "the other columns of the edges are features already");
  refuse(!config.weight.empty(), "weight", "the other columns of the edges are features, no weights");
  refuse(!config.features.empty(), "features", "of labelled edges, those of the nodes come from the table of nodes");
  refuse(config.duplicates != Duplicates::keep_first, "duplicates", "all edges with labels are kept");
  refuse(config.self_loops != graph::SelfLoops::keep, "self_loops", "loops are items like other labelled edges");
  refuse(config.component != Component::all, "component", "all edges with labels are kept");
  if (config.encodings != EncodingConfig{})
    throw UsageError("data.encodings: is for labels of nodes; labelled edges have numbers of the network already");
  if (config.nodes.empty()) refuse_groups(config, {DataGroup::names, DataGroup::unknown_nodes});
}

/// Cheapest first. No edges lead from item to item, so what only they could tell apart is left out.
std::vector<std::string> models_of_edges(const Dataset& data) {
  if (!data.edges) return {};
  return {"edge_biases", "edge_factors", "boosted_trees", "mlp"};
}

}  // namespace

const Source& edge_labels_source() {
  static const Source kSource{
      .noun = "labels of edges",
      .named_by = {"edge_label"},
      .takes = {DataGroup::nodes, DataGroup::names, DataGroup::unknown_nodes, DataGroup::edge_columns,
                DataGroup::target, DataGroup::edges, DataGroup::tables, DataGroup::labels},
      .replaces = {},
      .shape = [](const json::Value&) { return DataShape::network; },
      .check = check_edge_labels,
      .read = read_edge_items,
      .rank = 1,
      .settings = {"edges"},
      .is_setting = true,
      .defaults = edge_label_defaults,
      .candidates = models_of_edges};
  return kSource;
}

}  // namespace edgewise::train
