#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/value_lists.hpp"
#include "edgewise/train/source/written_numbers.hpp"

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

struct ColumnFacts {
  std::string name;
  bool is_numeric = true;
  std::uint64_t missing = 0;
  bool is_empty = false;     ///< No value is known.
  bool is_constant = false;  ///< All known values are equal, or none is known.
  std::uint64_t categories = 0;
  std::uint64_t numeric_categories = 0;  ///< Number of categories that are numbers.
  std::uint64_t decimal_commas = 0;      ///< Number of categories that are numbers with a decimal comma.
  std::uint64_t thousands = 0;           ///< Number of categories that are numbers with commas between thousands.
  std::optional<WrittenNumbers> written;    ///< If most categories are numbers with units and the like.
  std::optional<NumberLists> number_lists;  ///< If most categories are lists of numbers.
  std::uint64_t dates = 0;               ///< Number of categories that look like 2024-03-31, 31.3.2024 or 3/31/2024.
  std::string first_text;                ///< The first value that is not a number.
  std::uint64_t first_text_line = 0;     ///< Its line; 0 if unknown.
  bool counts_rows = false;              ///< See io::counts_rows.
  bool is_unnamed_index = false;         ///< See io::is_unnamed_index.
  bool is_label = false;                 ///< It is to be learnt, so it cannot be left out.
  bool is_placing = false;               ///< It positions a node, see Collection::placing: it is no feature.
  std::string zero_led;                  ///< See io::Column::zero_led.
  std::string rounded;                   ///< See io::Column::rounded.
  std::uint64_t marked = 0;              ///< See io::Column::marked.
  std::string marker;                    ///< See io::Column::marker.
  std::optional<ValueLists> lists;       ///< If its categories look like lists.
  bool is_of_edges = false;              ///< It belongs to the edges, not to the nodes.
  std::string numbered_by;               ///< The column of row numbers that names the nodes; this one could as well.
  double smallest = 0;  ///< For a numeric column with a known value.
  double largest = 0;
  double mean = 0;
};

/// `lines`: those of the rows, if known.
ColumnFacts column_facts(const io::Column& column, std::span<const std::uint64_t> lines = {});

/// Calls `visit` with the facts of each column of a table of the data, one column at a time: there may be a million.
void visit_columns(const Dataset& data, const io::NodeTable& table,
                   const std::function<void(const ColumnFacts&)>& visit);

/// The columns of a table of the data.
std::vector<ColumnFacts> facts_of_columns(const Dataset& data, const io::NodeTable& table);
/// The columns of the items' table.
std::vector<ColumnFacts> facts_of_columns(const Dataset& data);

/// Classes and their node counts; in a multi-label task, labels and their positives.
std::vector<std::pair<std::string, std::uint64_t>> label_counts(const data::Labels& labels);

}  // namespace edgewise::train
