#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "edgewise/graph/graph.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/io/text_writer.hpp"

namespace edgewise::io {

enum class AttributeType { text, integer, number };

/// An attribute of the nodes or of the edges of a graph that is written.
struct ResultAttribute {
  std::string name;
  AttributeType type = AttributeType::text;
  std::function<std::string(std::size_t)> value;  ///< Of a node, or of the edge in this row; "" for none.
};

/// A graph with results, to open in Gephi, Cytoscape, graphviz or NetworkX.
struct ResultGraph {
  std::string name = "result";
  graph::Direction direction = graph::Direction::directed;
  std::vector<graph::Node> nodes = {};  ///< The nodes to write; all ends of edges are among them.
  std::vector<graph::Node> sources = {};
  std::vector<graph::Node> targets = {};  ///< Row i is an edge from sources[i] to targets[i].
  std::vector<ResultAttribute> node_attributes = {};
  std::vector<ResultAttribute> edge_attributes = {};
};

/// Writes GraphML, DOT or GML. Each node has its name as its identifier (GML: as its label) and its attributes. GML
/// knows only letters, digits and "_" in the names of attributes; others become "_", and names that are then the same
/// are numbered. Throws UsageError for another format, and DataError for a text that DOT cannot hold, with a backslash
/// before a quote, a line break or its end, and for the name of a node that GraphML and GML cannot hold, with control
/// characters (in other texts these become U+FFFD).
void write_result_graph(std::ostream& out, ResultFormat format, const graph::NodeNames& names,
                        const ResultGraph& graph);

/// Whether the format is one of a graph.
bool is_graph_format(ResultFormat format);

/// The columns of `predictions`, as `write_predictions` names them, as attributes of the nodes; nodes that are not
/// among the predictions have none. `predictions` must outlive them.
std::vector<ResultAttribute> node_attributes(const Predictions& predictions, std::size_t node_count);

/// The graph with its edges as the user gave them, their weights if they have any, and the predictions of its nodes.
/// `predictions` and `graph` must outlive it.
ResultGraph predicted_graph(const graph::Graph& graph, const Predictions& predictions);

}  // namespace edgewise::io
