#include "edgewise/data/node_dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/data/split_file.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/feature_lists.hpp"
#include "edgewise/io/feature_table.hpp"
#include "edgewise/io/graph_formats.hpp"
#include "edgewise/io/node_table.hpp"

namespace edgewise::data {
namespace {

/// Arguments of a loader.
struct Request {
  const Catalogue& catalogue;
  const CatalogueSet& dataset;
  std::span<const std::string> data_directories;
  const LoadOptions& options;
};

std::string path_of(const Request& request, std::string_view role, std::string_view split = "") {
  return require_file(request.catalogue, request.dataset, request.data_directories, role, split);
}

io::NodeTable read_table(const Request& request, std::string_view role, std::string_view label) {
  io::NodeTableOptions options;
  options.id_column = request.dataset.id;
  if (request.dataset.task == "node classification") options.categorical = {std::string(label)};
  if (request.dataset.format == "rows") options.missing.push_back("-1");
  if (request.dataset.keeps_first_duplicate) options.duplicates = io::DuplicateRows::keep_first;
  return io::read_node_table(path_of(request, role), options);
}

Labels labels_of(const Request& request, const std::string& column, io::NodeTable& table) {
  prepare_label_columns({column}, {}, table);
  const bool is_regression = request.dataset.task == "node regression";
  return read_labels(table, {.columns = {column},
                             .task = is_regression ? Task::regression : Task::classification,
                             .classes = {}});
}

graph::Graph graph_of(const Request& request, graph::NodeNames names, graph::EdgeList edges) {
  const auto direction = request.dataset.directed ? graph::Direction::directed : graph::Direction::undirected;
  return graph::Graph(std::move(names), std::move(edges), {.direction = direction});
}

graph::Graph read_graph(const Request& request, const graph::NodeNames& names) {
  graph::EdgeList edges = io::read_edge_list(path_of(request, "edges"), {.known_nodes = &names}).edges;
  return graph_of(request, names, std::move(edges));
}

Features identity(std::size_t nodes) {
  Features features;
  features.is_sparse = true;
  features.sparse.resize(static_cast<Eigen::Index>(nodes), static_cast<Eigen::Index>(nodes));
  features.sparse.setIdentity();
  features.sparse.makeCompressed();
  return features;
}

Features sparse(io::SparseFeatures&& read) {
  Features features;
  features.is_sparse = true;
  features.sparse = std::move(read.matrix);
  return features;
}

std::vector<Split> given_splits(const Request& request, const graph::NodeNames& names) {
  const std::vector<std::string>& known = request.dataset.splits;
  const std::string& wanted = request.options.split;
  if (!wanted.empty() && std::find(known.begin(), known.end(), wanted) == known.end())
    throw UsageError(fmt::format("data set \"{}\" has no split \"{}\"; given are: {}", request.dataset.name, wanted,
                                 known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  if (request.dataset.file("split") == nullptr) return {};
  return read_splits(path_of(request, "split", wanted.empty() ? known.at(0) : wanted), names);
}

/// Label file, edge list and `node,feature,value` rows.
LoadedDataset load_rows(const Request& request) {
  io::NodeTable table = read_table(request, "labels", "label");
  LoadedDataset loaded;
  loaded.data.labels = labels_of(request, "label", table);
  loaded.data.features =
      sparse(io::read_sparse_features(path_of(request, "features"), {.known_nodes = &table.names}));
  loaded.data.graph = read_graph(request, table.names);
  loaded.data.splits = given_splits(request, table.names);
  return loaded;
}

/// Target table, edge list and lists of features.
LoadedDataset load_musae(const Request& request) {
  io::NodeTable table = read_table(request, "labels", request.dataset.label);
  LoadedDataset loaded;
  loaded.data.labels = labels_of(request, request.dataset.label, table);
  const auto features = static_cast<std::uint32_t>(request.dataset.count("features").value_or(0));
  loaded.data.features = sparse(io::read_feature_lists(path_of(request, "features"),
                                                       {.known_nodes = &table.names, .features = features}));
  loaded.data.graph = read_graph(request, table.names);
  loaded.data.splits = given_splits(request, table.names);
  return loaded;
}

LoadedDataset load_gml(const Request& request) {
  io::GraphFile file = io::read_gml(path_of(request, "graph"));
  LoadedDataset loaded;
  loaded.data.labels = labels_of(request, request.dataset.label, file.nodes);
  loaded.data.features = identity(file.names.size());
  loaded.data.graph = graph_of(request, std::move(file.names), std::move(file.edges));
  return loaded;
}

/// A node table with attributes, a label and a split, and an edge list.
LoadedDataset load_table(const Request& request) {
  LoadedDataset loaded;
  loaded.table = read_table(request, "nodes", request.dataset.label);
  io::NodeTable& table = loaded.table;
  loaded.data.labels = labels_of(request, request.dataset.label, table);
  given_splits(request, table.names);  // rejects a split that does not exist
  loaded.data.splits = {split_from_column(table, "split")};
  const std::vector<graph::Node> train = nodes_with_role(loaded.data.splits[0], Role::train);
  NodeEncoder encoder =
      NodeEncoder::fit(table, train, {.excluded = {request.dataset.label, "split"}});
  if (encoder.columns() == 0) {
    loaded.data.features = identity(table.rows());
  } else {
    loaded.data.features = encoder.encode(table);
    loaded.encoder = std::move(encoder);
  }
  loaded.data.graph = read_graph(request, table.names);
  return loaded;
}

void check_counts_of(const CatalogueSet& dataset, const NodeData& data) {
  const std::vector<std::pair<std::string_view, std::size_t>> found = {
      {"nodes", data.graph.node_count()},
      {"edges", data.graph.edge_count()},
      {"features", data.features.columns()},
      {"classes", data.labels.names.size()},
      {"labelled", labelled_nodes(data.labels).size()}};
  check_counts(dataset, found);
}

}  // namespace

LoadedDataset load_dataset(const Catalogue& catalogue, const CatalogueSet& dataset,
                           std::span<const std::string> data_directories, const LoadOptions& options) {
  if (!dataset.is_node_level())
    throw UsageError(fmt::format("data set \"{}\" is for the task \"{}\", not for labels of nodes", dataset.name,
                                 dataset.task));
  const Request request{catalogue, dataset, data_directories, options};
  LoadedDataset loaded;
  if (dataset.format == "rows")
    loaded = load_rows(request);
  else if (dataset.format == "musae")
    loaded = load_musae(request);
  else if (dataset.format == "gml")
    loaded = load_gml(request);
  else if (dataset.format == "table")
    loaded = load_table(request);
  else
    throw UsageError(fmt::format("data set \"{}\": unknown format \"{}\"", dataset.name, dataset.format));
  loaded.data.name = dataset.name;
  check_counts_of(dataset, loaded.data);
  for (const Split& split : loaded.data.splits) check_split(split, loaded.data.labels);
  if (options.normalise_rows.value_or(dataset.normalise_rows)) normalise_rows(loaded.data.features);
  return loaded;
}

}  // namespace edgewise::data
