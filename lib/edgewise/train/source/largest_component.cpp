#include "edgewise/train/source/largest_component.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "edgewise/data/select_rows.hpp"
#include "edgewise/graph/components.hpp"

namespace edgewise::train {
namespace {

using Nodes = std::vector<graph::Node>;

constexpr graph::Node kGone = std::numeric_limits<graph::Node>::max();

template <class Value>
void keep(const Nodes& nodes, std::vector<Value>& values) {
  if (values.empty()) return;
  std::vector<Value> kept;
  for (const graph::Node node : nodes) kept.push_back(values[node]);
  values = std::move(kept);
}

void keep(const Nodes& nodes, Matrix& rows) {
  if (rows.rows() > 0) rows = Matrix(rows(nodes, Eigen::all));
}

graph::NodeNames names_of(const graph::NodeNames& names, const Nodes& nodes) {
  graph::NodeNames kept;
  for (const graph::Node node : nodes) kept.add(names[node]);
  return kept;
}

/// The edges between kept nodes; no edge leaves a component.
graph::EdgeList edges_of(const graph::EdgeList& edges, const std::vector<graph::Node>& place) {
  std::vector<graph::Node> rows;  // of the edges
  graph::EdgeList kept;
  kept.feature_names = edges.feature_names;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (place[edges.sources[e]] == kGone) continue;
    rows.push_back(static_cast<graph::Node>(e));
    kept.sources.push_back(place[edges.sources[e]]);
    kept.targets.push_back(place[edges.targets[e]]);
    if (!edges.weights.empty()) kept.weights.push_back(edges.weights[e]);
  }
  kept.features = edges.features;
  keep(rows, kept.features);
  return kept;
}

void keep(const Nodes& nodes, io::NodeTable& table) {
  if (table.rows() == 0) return;
  table.names = names_of(table.names, nodes);
  keep(nodes, table.lines);
  keep(nodes, table.parts);
  for (io::Column& column : table.columns) {
    keep(nodes, column.numbers);
    keep(nodes, column.codes);
    keep(nodes, column.bounds);
    column.missing = 0;
    for (std::size_t row = 0; row < column.size(); ++row) column.missing += column.is_missing(row) ? 1 : 0;
  }
}

}  // namespace

void keep_largest_component(Dataset& data) {
  const graph::Components components = graph::connected_components(data.graph);
  if (components.count() < 2) return;
  const auto largest = static_cast<graph::Node>(std::max_element(components.sizes.begin(), components.sizes.end()) -
                                                components.sizes.begin());
  Nodes nodes;
  std::vector<graph::Node> place(data.graph.node_count(), kGone);
  for (graph::Node node = 0; node < place.size(); ++node) {
    if (components.component[node] != largest) continue;
    place[node] = static_cast<graph::Node>(nodes.size());
    nodes.push_back(node);
  }
  const std::size_t left_out = place.size() - nodes.size();
  data.notes.push_back(fmt::format("{} of {} nodes {} outside the largest connected part and left out", left_out,
                                   place.size(), left_out == 1 ? "is" : "are"));
  graph::GraphOptions options = data.reading.graph_options();
  options.direction = data.graph.direction();
  data.graph = graph::Graph(names_of(data.graph.names(), nodes), edges_of(data.graph.edges(), place), options);
  keep(nodes, data.table);
  if (data.features.rows() > 0) data.features = data::select_rows(data.features, nodes);
  keep(nodes, data.labels.classes);
  for (Matrix* values : {&data.labels.targets, &data.labels.lower_bounds, &data.labels.upper_bounds})
    keep(nodes, *values);
  for (data::Split& split : data.splits) keep(nodes, split);
}

}  // namespace edgewise::train
