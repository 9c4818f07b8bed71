#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/train/source/column_facts.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// What was read: facts about edges, columns and labels, before training.
namespace edgewise::train {

/// Facts about the edges as the user gave them, before any were dropped.
struct EdgeFacts {
  std::uint64_t edges = 0;
  std::uint64_t self_loops = 0;
  std::uint64_t repeated = 0;      ///< Edges already listed in the same direction.
  std::uint64_t reversed = 0;      ///< Pairs of nodes with edges in both directions.
  std::uint64_t pairs = 0;         ///< Distinct pairs of nodes with an edge between them.
  std::uint64_t isolated = 0;      ///< Nodes without any edge to another node.
  /// In a directed graph: nodes with an edge to another node, but none from one.
  std::uint64_t without_incoming = 0;
  std::uint64_t components = 0;    ///< Including isolated nodes.
  std::uint64_t largest_component = 0;
  std::uint64_t smallest_degree = 0;  ///< Degree: distinct neighbours, in either direction.
  double median_degree = 0;
  std::uint64_t largest_degree = 0;
  double mean_degree = 0;
  std::string largest_degree_node;  ///< Name of the first node with the largest degree.
  double smallest_weight = 0;       ///< Of the edges that were not dropped; 0 if there are no weights.
  double largest_weight = 0;
};

/// O(edges log edges).
EdgeFacts edge_facts(const graph::Graph& graph);

/// Calls `visit` with the facts of each column of a table of the data, one column at a time: there may be a million.
void visit_columns(const Dataset& data, const io::NodeTable& table,
                   const std::function<void(const ColumnFacts&)>& visit);

/// The columns of a table of the data.
std::vector<ColumnFacts> facts_of_columns(const Dataset& data, const io::NodeTable& table);

/// Classes and their node counts; in a multi-label task, labels and their positives.
std::vector<std::pair<std::string, std::uint64_t>> label_counts(const data::Labels& labels);

}  // namespace edgewise::train
