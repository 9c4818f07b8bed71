#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/graph/graph.hpp"

namespace edgewise::io {

/// Many small graphs as one disjoint union, in the format of the TU Dortmund collection (Morris et al. 2020). Integer
/// labels become indices into `..._names`, which are in numeric order: raw labels -1, 1 become 0, 1.
struct TuDataset {
  std::string name;  ///< "MUTAG"
  std::size_t graph_count = 0;
  graph::NodeNames names;                   ///< "1" ... "N", the numbers used in the files.
  graph::EdgeList edges;                    ///< Arcs, one per row of _A; the files list both directions of an edge.
  std::vector<std::uint32_t> graph_of_node;  ///< [nodes], from 0.

  std::vector<std::int32_t> graph_labels;  ///< [graphs], or empty.
  std::vector<std::string> graph_label_names;
  Matrix graph_attributes;                ///< [graphs, targets]; no columns if there are none.
  std::vector<std::int32_t> node_labels;  ///< [nodes], or empty.
  std::vector<std::string> node_label_names;
  Matrix node_attributes;                 ///< [nodes, attributes]; no columns if there are none.
  std::vector<std::int32_t> edge_labels;  ///< [arcs], or empty. Edge attributes are `edges.features`.
  std::vector<std::string> edge_label_names;
};

/// Reads NAME_A.txt, NAME_graph_indicator.txt and, if present, NAME_graph_labels.txt, NAME_graph_attributes.txt,
/// NAME_node_labels.txt, NAME_node_attributes.txt, NAME_edge_labels.txt and NAME_edge_attributes.txt, each plain or
/// with .gz. `path` is their folder, the path up to NAME if a folder holds several sets, or the path of NAME_A.txt.
/// Throws DataError with file and line for a node or graph out of range, an edge between two graphs, values that are
/// not numbers, and files with inconsistent line counts.
TuDataset read_tu_dataset(const std::string& path);

/// The existing files that `read_tu_dataset` reads. Throws DataError for a folder that holds no set or several.
std::vector<std::string> tu_files(const std::string& path);

}  // namespace edgewise::io
