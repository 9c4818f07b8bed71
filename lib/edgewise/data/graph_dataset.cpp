#include "edgewise/data/graph_dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"

namespace edgewise::data {
namespace {

using graph::Node;

/// Start of the nodes of each graph, [graphs + 1].
std::vector<Node> offsets_of(const io::TuDataset& set) {
  std::vector<Node> offsets(set.graph_count + 1, 0);
  for (const std::uint32_t graph : set.graph_of_node) ++offsets[graph + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

/// Nodes grouped by graph, in their original order within each: `order[i]` goes to position i.
std::vector<Node> order_by_graph(const io::TuDataset& set, std::vector<Node> next) {
  std::vector<Node> order(set.graph_of_node.size());
  for (Node node = 0; node < order.size(); ++node) order[next[set.graph_of_node[node]]++] = node;
  return order;
}

/// One-hot labels, then the attributes, for the rows in `order`.
struct Columns {
  Matrix values;
  std::vector<std::string> names;
};
template <class Index>
Columns columns_of(const std::vector<std::int32_t>& labels, const std::vector<std::string>& label_names,
                   const Matrix& attributes, const std::vector<Index>& order) {
  const auto rows = static_cast<Eigen::Index>(order.size());
  const auto classes = labels.empty() ? Eigen::Index{0} : static_cast<Eigen::Index>(label_names.size());
  const Eigen::Index width = classes + attributes.cols();
  Columns columns{Matrix::Zero(width == 0 ? 0 : rows, width), {}};
  for (Eigen::Index i = 0; i < classes; ++i)
    columns.names.push_back(fmt::format("label {}", label_names[static_cast<std::size_t>(i)]));
  for (Eigen::Index i = 1; i <= attributes.cols(); ++i) columns.names.push_back(fmt::format("attribute {}", i));
  for (Eigen::Index row = 0; width > 0 && row < rows; ++row) {
    const Index from = order[static_cast<std::size_t>(row)];
    if (classes > 0 && labels[from] >= 0) columns.values(row, labels[from]) = 1;
    if (attributes.cols() > 0)
      columns.values.row(row).tail(attributes.cols()) = attributes.row(static_cast<Eigen::Index>(from));
  }
  return columns;
}

Features node_features(const io::TuDataset& set, const std::vector<Node>& order) {
  Columns columns = columns_of(set.node_labels, set.node_label_names, set.node_attributes, order);
  Features features;
  features.dense = std::move(columns.values);
  features.names = std::move(columns.names);
  if (features.names.empty()) {
    features.dense = Matrix::Ones(static_cast<Eigen::Index>(order.size()), 1);
    features.names = {kConstant};
  }
  return features;
}

/// The first row of each unordered pair of nodes, ascending.
std::vector<std::size_t> first_rows(const graph::EdgeList& edges) {
  const auto pair_of = [&](std::size_t row) { return std::minmax(edges.sources[row], edges.targets[row]); };
  std::vector<std::size_t> rows(edges.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return pair_of(a) < pair_of(b); });
  rows.erase(std::unique(rows.begin(), rows.end(),
                         [&](std::size_t a, std::size_t b) { return pair_of(a) == pair_of(b); }),
             rows.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

graph::Graph graph_of(const io::TuDataset& set, const std::vector<Node>& order) {
  std::vector<Node> place(order.size());
  graph::NodeNames names;
  for (Node i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    names.add(set.names[order[i]]);
  }
  const std::vector<std::size_t> rows = first_rows(set.edges);
  graph::EdgeList edges;
  for (const std::size_t row : rows) {
    edges.sources.push_back(place[set.edges.sources[row]]);
    edges.targets.push_back(place[set.edges.targets[row]]);
  }
  Columns columns = columns_of(set.edge_labels, set.edge_label_names, set.edges.features, rows);
  edges.features = std::move(columns.values);
  edges.feature_names = std::move(columns.names);
  return graph::Graph(std::move(names), std::move(edges));
}

Labels labels_of(io::TuDataset& set, const Task& task) {
  Labels labels;
  labels.task = task;
  if (task.has_classes()) {
    if (set.graph_labels.empty()) throw DataError(fmt::format("{}: the graphs have no labels", set.name));
    labels.classes = std::move(set.graph_labels);
    labels.names = std::move(set.graph_label_names);
  } else if (task.has_numbers()) {
    if (set.graph_attributes.cols() == 0) throw DataError(fmt::format("{}: the graphs have no attributes", set.name));
    for (Eigen::Index i = 1; i <= set.graph_attributes.cols(); ++i)
      labels.names.push_back(fmt::format("attribute {}", i));
    labels.targets = std::move(set.graph_attributes);
    for (Eigen::Index graph = 0; graph < labels.targets.rows(); ++graph)
      for (const float number : labels.targets.row(graph))
        if (!std::isnan(number) && !task.takes(number))
          throw DataError(
              fmt::format("{}: graph {}: expected {}, got {}", set.name, graph + 1, task.expected(), number));
  } else {
    throw UsageError(fmt::format("{}: expected classification or regression of the graphs", set.name));
  }
  return labels;
}

/// For each of `names` its index in `known`, or -1.
std::vector<std::int32_t> places_in(const std::vector<std::string>& known, const std::vector<std::string>& names) {
  std::vector<std::int32_t> places;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    places.push_back(found == known.end() ? -1 : static_cast<std::int32_t>(found - known.begin()));
  }
  return places;
}

/// Renumbers labels as in `known`; unknown ones become -1, with a note on what has them ("node has", "nodes have").
void number_as(const std::vector<std::string>& known, const char* one_has, const char* several_have,
               std::vector<std::int32_t>& labels, std::vector<std::string>& names, std::vector<std::string>& notes) {
  if (known.empty() || labels.empty()) return;
  const std::vector<std::int32_t> places = places_in(known, names);
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (places[i] < 0) unknown.push_back(names[i]);
  for (std::int32_t& label : labels) label = places[static_cast<std::size_t>(label)];
  const auto count = std::count(labels.begin(), labels.end(), -1);
  if (count > 0)
    notes.push_back(fmt::format("{} a label not seen in training ({}), which is ignored",
                                counted(static_cast<std::size_t>(count), one_has, several_have),
                                fmt::join(unknown, ", ")));
  names = known;
}

/// Throws ModelError if there are labels in training, but none here.
void require_labels(const std::vector<std::string>& known, const std::vector<std::int32_t>& labels, std::size_t items,
                    const char* kind, const std::string& set) {
  if (!known.empty() && labels.empty() && items > 0)
    throw ModelError(fmt::format("{0}: there is no {0}_{1}_labels.txt, but the model needs the labels of {1}s (such as "
                                 "{2})",
                                 set, kind, known.front()));
}

bool knows_all(const std::vector<std::string>& known, const std::vector<std::string>& names) {
  const std::vector<std::int32_t> places = places_in(known, names);
  return std::find(places.begin(), places.end(), -1) == places.end();
}

void check_counts_of(const CatalogueSet& dataset, const GraphData& data) {
  const bool has_classes = data.labels.has_classes();
  const std::vector<std::pair<std::string_view, std::size_t>> found = {
      {"graphs", data.graph_count()},
      {"nodes", data.graph.node_count()},
      {"edges", data.graph.edge_count()},
      {"features", data.features.columns()},
      {"edge_features", static_cast<std::size_t>(data.graph.edges().features.cols())},
      {has_classes ? "classes" : "targets", data.labels.names.size()},
      {"labelled", labelled_nodes(data.labels).size()}};
  check_counts(dataset, found);
}

}  // namespace

void use_known_labels(const KnownLabels& known, io::TuDataset& set, std::vector<std::string>& notes) {
  require_labels(known.nodes, set.node_labels, set.names.size(), "node", set.name);
  require_labels(known.edges, set.edge_labels, set.edges.size(), "edge", set.name);
  number_as(known.nodes, "node has", "nodes have", set.node_labels, set.node_label_names, notes);
  number_as(known.edges, "row of edges has", "rows of edges have", set.edge_labels, set.edge_label_names, notes);
  if (knows_all(known.graphs, set.graph_label_names))
    number_as(known.graphs, "graph has", "graphs have", set.graph_labels, set.graph_label_names, notes);
}

GraphData to_graph_data(io::TuDataset&& set, std::optional<Task> task, bool needs_labels) {
  GraphData data;
  const Task learnt = task.value_or(set.graph_labels.empty() ? Task::regression : Task::classification);
  const bool has_labels = learnt.has_classes() ? !set.graph_labels.empty() : set.graph_attributes.cols() > 0;
  if (has_labels || needs_labels) data.labels = labels_of(set, learnt);
  if (!set.node_labels.empty()) data.node_labels = set.node_label_names;
  if (!set.edge_labels.empty()) data.edge_labels = set.edge_label_names;
  data.offsets = offsets_of(set);
  const std::vector<Node> order = order_by_graph(set, data.offsets);
  data.features = node_features(set, order);
  data.graph = graph_of(set, order);
  for (std::size_t graph = 1; graph <= set.graph_count; ++graph) data.names.push_back(fmt::format("{}", graph));
  data.name = std::move(set.name);
  return data;
}

GraphData load_graph_dataset(const Catalogue& catalogue, const CatalogueSet& dataset,
                             std::span<const std::string> data_directories, const KnownLabels& known,
                             std::vector<std::string>* notes) {
  if (!dataset.is_graph_level())
    throw UsageError(fmt::format("data set \"{}\" is for the task \"{}\", not for labels of graphs", dataset.name,
                                 dataset.task));
  if (dataset.format != "tu")
    throw UsageError(fmt::format("data set \"{}\": unknown format \"{}\"", dataset.name, dataset.format));
  const std::string edges = require_file(catalogue, dataset, data_directories, "edges");
  const bool is_regression = dataset.task == "graph regression";
  io::TuDataset set = io::read_tu_dataset(edges);
  const bool is_as_known = (known.nodes.empty() || known.nodes == set.node_label_names) &&
                           (known.edges.empty() || known.edges == set.edge_label_names) &&
                           (known.graphs.empty() || known.graphs == set.graph_label_names);
  std::vector<std::string> unknown;
  use_known_labels(known, set, notes != nullptr ? *notes : unknown);
  GraphData data = to_graph_data(std::move(set), is_regression ? Task::regression : Task::classification);
  data.name = dataset.name;
  if (is_as_known) check_counts_of(dataset, data);
  return data;
}

}  // namespace edgewise::data
