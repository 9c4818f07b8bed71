#pragma once

#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/io/result_graph.hpp"

namespace edgewise::io {

/// Attention weights: in row i, node `targets[i]` attends to node `sources[i]`, in every layer and head.
struct AttentionTable {
  std::vector<graph::Node> sources;
  std::vector<graph::Node> targets;
  std::vector<graph::StoredEdge> edges;  ///< The user's edge, from 0, or `graph::kAddedSelfLoop`.
  std::vector<Matrix> layers;           ///< Each [rows, heads]; the number of heads may vary.
  std::vector<std::string> tokens = {};  ///< The word or character of each node; empty if nodes are none.
  std::vector<ResultAttribute> node_attributes = {};  ///< For formats of graphs.
};

/// Writes attention weights in the format given by the extension of `path` (.csv, .jsonl, .graphml, .dot, .gml,
/// each optionally with .gz):
/// - CSV and JSON Lines: one record per row, layer and head: source, target, edge, layer, head, weight. Edge, layer and
///   head are counted from 1; the edge is empty (null) for an added self loop. Nodes that are tokens add source_token,
///   target_token.
/// - GraphML and GML: one directed edge per row. `weight` is the mean over all layers and heads, `layer_1_head_1` ...
///   are the individual weights, `edge` is the user's edge. Only nodes that occur in a row are written, with their
///   attributes, and `token` if they are tokens.
/// - DOT: the same nodes and the mean, also as pen width, 5 points for the largest.
///
/// Throws UsageError for another format or mismatched shapes, DataError if writing fails.
void write_attention(const std::string& path, const graph::NodeNames& names, const AttentionTable& attention);

}  // namespace edgewise::io
