#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/graph/graph.hpp"

namespace edgewise::io {

/// Many small graphs as one disjoint graph, as the TU Dortmund collection stores them (Morris et al. 2020).
/// Integer labels become indices into `..._names`, which are in numeric order: the raw labels -1, 1 are 0, 1.
struct TuDataset {
  std::string name;  ///< "MUTAG"
  std::size_t graph_count = 0;
  graph::NodeNames names;                   ///< "1" ... "N", the numbers that the files use.
  graph::EdgeList edges;                    ///< Arcs as the rows of _A; the files list both directions of an edge.
  std::vector<std::uint32_t> graph_of_node;  ///< [nodes], from 0.

  std::vector<std::int32_t> graph_labels;  ///< [graphs], or empty.
  std::vector<std::string> graph_label_names;
  Matrix graph_attributes;                ///< [graphs, targets]; no columns when there are none.
  std::vector<std::int32_t> node_labels;  ///< [nodes], or empty.
  std::vector<std::string> node_label_names;
  Matrix node_attributes;                 ///< [nodes, attributes]; no columns when there are none.
  std::vector<std::int32_t> edge_labels;  ///< [arcs], or empty. Edge attributes are `edges.features`.
  std::vector<std::string> edge_label_names;
};

/// Reads NAME_A.txt, NAME_graph_indicator.txt and, where they exist, NAME_graph_labels.txt, NAME_graph_attributes.txt,
/// NAME_node_labels.txt, NAME_node_attributes.txt, NAME_edge_labels.txt and NAME_edge_attributes.txt, each plain or
/// with .gz. `path` is their folder, or the path up to NAME where a folder holds several sets, or that of NAME_A.txt.
/// Throws DataError with file and line for a node or graph that is out of range, an edge between two graphs, values
/// that are no numbers, and files whose numbers of lines do not fit each other.
TuDataset read_tu_dataset(const std::string& path);

/// The files that `read_tu_dataset` reads, as far as they are there. Throws DataError for a folder that holds no set,
/// or several.
std::vector<std::string> tu_files(const std::string& path);

}  // namespace edgewise::io
