#pragma once

#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::io {

/// Who paid attention to whom: in row i, node `targets[i]` attends to node `sources[i]`, in every layer and head.
struct AttentionTable {
  std::vector<graph::Node> sources;
  std::vector<graph::Node> targets;
  std::vector<graph::StoredEdge> edges;  ///< The user's edge, from 0, or `graph::kAddedSelfLoop`.
  std::vector<Matrix> layers;           ///< Each [rows, heads]; the number of heads may differ.
};

/// Writes attention weights by the end of `path` (.csv, .jsonl, .graphml, .dot, each also with .gz):
/// - CSV and JSON Lines, one record for each row, layer and head: source, target, edge, layer, head, weight. Edge,
///   layer and head are counted from 1; the edge is empty (null) for an added self loop.
/// - GraphML, a directed edge a row: `weight` is the mean over all layers and heads, `layer_1_head_1` ... are the
///   single ones, `edge` the user's edge. Only nodes that occur in a row are written.
/// - DOT: the same mean as the width of the pen, 5 points for the largest.
/// Throws UsageError for another format or shapes that do not fit, DataError when writing fails.
void write_attention(const std::string& path, const graph::NodeNames& names, const AttentionTable& attention);

}  // namespace edgewise::io
