#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/train/explain/attention_rows.hpp"
#include "edgewise/train/explain/attention_summary.hpp"
#include "edgewise/train/use/model_data.hpp"

namespace edgewise::train {

/// What a model predicts for one of several graphs, and which of its parts receive attention.
struct GraphAttention {
  graph::Node item = 0;
  graph::GraphUnion one;     ///< The graph alone.
  AttentionRecords records;  ///< One per attention layer.
  AttentionSummary summary;
  Matrix prediction;  ///< [1, outputs]
  /// Of the nodes: those of a collection, or numbers from 0, for atoms in the order of their SMILES.
  graph::NodeNames names;
  std::vector<std::string> tokens;  ///< Words or characters, if the nodes are such.
  /// Source and target of the edges in `summary.edges`, as places in `names`.
  std::vector<std::pair<graph::Node, graph::Node>> ends;
};

/// The graph in a row of its table, from 1. Throws UsageError when there is no such row, DataError when it holds no
/// graph.
graph::Node item_in_row(const ModelData& loaded, std::int64_t row);

/// Of an average, that of the first model with an attention layer. `path` names the model in messages. Throws
/// ModelError if there is none, and if the data does not fit.
GraphAttention attention_of_graph(const std::string& path, ModelData& loaded, graph::Node item, const NoteHook& note);

/// The rows of layers over `mask`, see `choose_mask`. Nodes and edges are numbered within the graph.
io::AttentionTable collect_rows(const Dataset& data, const GraphAttention& attention, const std::string& mask);

/// The molecules or the reaction as SVG, atoms and bonds coloured by their attention, relative to the largest, below
/// the lines of `title`. Nothing for other graphs.
std::optional<std::string> draw(const ModelData& loaded, const GraphAttention& attention,
                                const std::vector<std::string>& title = {});

}  // namespace edgewise::train
