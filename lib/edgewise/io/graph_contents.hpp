#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/graph/graph.hpp"
#include "edgewise/io/column.hpp"
#include "edgewise/io/edge_feature_report.hpp"
#include "edgewise/io/node_table.hpp"

namespace edgewise::io {

/// The contents of a file that holds a whole graph: nodes, edges, and attributes of both. All readers share these
/// rules:
/// - A node attribute becomes a column of `nodes`: numeric if the format says so or all its values are numbers, else
///   categorical. It is missing for nodes without it and for the texts that CSV tables treat as "not known".
/// - The edge attribute requested as the weight, or else "weight", or else "value" (any case), becomes the weights, 1
///   for edges without it.
/// - Every other edge attribute that is numeric and present on all edges becomes an edge feature, unless features are
///   requested by name.
/// - Edge attributes not used this way are listed in `unused_edge_attributes`; attributes that cannot be used, such as
///   lists, in `unused_attributes`.
/// - A graph with directed and undirected edges is directed. Each undirected edge becomes two, and a note says so.
/// - Kinds of edges (relations) and of nodes are attributes like any other. A note names them if there are several.
///
/// The whole file is held in memory while it is read; for big graphs use an edge list.
struct GraphFile {
  graph::NodeNames names;
  graph::EdgeList edges;  ///< In file order.
  graph::Direction direction = graph::Direction::undirected;
  NodeTable nodes;               ///< Rows in the order of `names`.
  std::string weight_attribute;  ///< Empty if there are no weights.
  std::vector<std::string> unused_attributes;
  std::vector<std::string> unused_edge_attributes;
  std::vector<std::string> notes;  ///< What a reader had to decide, each without the file's name.
  EdgeFeatureReport edge_features;
  std::vector<std::uint64_t> edge_lines;  ///< Lines of the edges, as far as they are known.
  std::string edge_list;                  ///< What the file calls the list of edges, if their lines are not known.

  /// Where an edge is, for messages: "line 12", "links[3]" or "edge 4".
  std::string place_of(graph::EdgeIndex edge) const;
};

struct GraphFileOptions {
  /// The attribute of nodes that names them, present and different on all. If empty: what the format calls their id.
  std::string node_names = {};
  /// The attribute with the weights of the edges. If empty, see GraphFile.
  std::string weight_attribute = {};
  /// If that is empty, the attribute to prefer, if edges have it and it is numeric.
  std::string preferred_weight = {};
  /// Attributes that become edge features, in this order, by the rules of EdgeListOptions. If empty, see GraphFile.
  /// DataError for one that is numeric and missing on some edge.
  std::vector<std::string> edge_features = {};
  std::vector<std::string> categorical = {};
  ReadAsText texts_of_nodes = {};  ///< Attributes of nodes.
  std::vector<std::string> missing = default_missing_texts();  ///< Texts that mean "not known".
  Categories categories = {};
};

}  // namespace edgewise::io
