#pragma once

#include <string>
#include <vector>

#include "edgewise/graph/graph.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/node_table.hpp"

namespace edgewise::io {

/// What a file that holds a whole graph says: nodes, edges, and attributes of both. The readers share these rules:
/// - A node attribute is a column of `nodes`: numeric when the format or all its values say so, else categorical; nodes
///   without it, and the texts that CSV tables take for "not known", are missing.
/// - The edge attribute "weight" or else "value" (any case) becomes the weights, 1 where an edge lacks it.
/// - Every other edge attribute that is numeric and present on all edges becomes an edge feature, unless some are asked
///   for by name.
/// - What is not used so is listed in `unused_edge_attributes`, and what cannot be, lists for one, in
///   `unused_attributes`.
/// These formats are held in memory while they are read; for big graphs use an edge list.
struct GraphFile {
  graph::NodeNames names;
  graph::EdgeList edges;  ///< In the order of the file.
  graph::Direction direction = graph::Direction::undirected;
  NodeTable nodes;  ///< Rows in the order of `names`.
  std::vector<std::string> unused_attributes;
  std::vector<std::string> unused_edge_attributes;
  EdgeFeatureReport edge_features;
};

struct GraphFileOptions {
  /// Attributes that become edge features, in this order, by the rules of EdgeListOptions. Empty: see GraphFile.
  std::vector<std::string> edge_features = {};
  std::vector<std::string> categorical = {};
  Categories categories = {};
};

/// Reads .graphml, .dot or .gv, .json (node-link) or .gml, each also with .gz, by the end of the file's name.
/// Throws UsageError for another one, and DataError for a feature that no edge has.
GraphFile read_graph_file(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
