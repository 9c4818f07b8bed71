#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "edgewise/core/standard_scale.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::graph {

/// Compressed sparse rows: the columns of row r are columns[offsets[r]] ... columns[offsets[r + 1] - 1].
struct Csr {
  std::vector<EdgeIndex> offsets = {0};
  std::vector<Node> columns;

  std::size_t rows() const { return offsets.size() - 1; }
  std::size_t slots() const { return columns.size(); }
};

/// Row boundaries of pieces with about equal work (slots + 4 a row). They depend on the graph alone, never on the
/// number of threads.
std::vector<Node> balanced_chunks(std::span<const EdgeIndex> offsets);

inline constexpr StoredEdge kAddedSelfLoop = std::numeric_limits<StoredEdge>::max();

/// What the kernels see. An edge u -> v lets v attend to u: `incoming` has a row for each destination v with its
/// sources as columns, in ascending order. A position in `incoming.columns` is a *slot*. `outgoing` is the transpose,
/// a row for each source, and `outgoing_slot` says which slot each of its positions is.
struct FrozenGraph {
  Csr incoming;
  Csr outgoing;
  std::vector<StoredEdge> outgoing_slot;
  std::vector<StoredEdge> incoming_position;  ///< Of each slot: its position in `outgoing`.
  bool columns_ascend = true;                 ///< Within each row of `incoming`; those of `outgoing` always do.
  std::vector<StoredEdge> edge;  ///< Of each slot: the user's edge, or kAddedSelfLoop.
  Matrix edge_features;         ///< [slots, features] in slot order; no columns when there are none.
  std::vector<Node> incoming_chunks;
  std::vector<Node> outgoing_chunks;

  std::size_t destination_count() const { return incoming.rows(); }
  std::size_t source_count() const { return outgoing.rows(); }
  std::size_t slot_count() const { return incoming.slots(); }
};

/// Fills `incoming_position` and `columns_ascend` of a graph that has all but these.
void finish_positions(FrozenGraph& frozen);

/// Which way attention flows along the user's edge `source,target`.
enum class Flow {
  source_to_target,  ///< The target attends to the source. The default.
  target_to_source,  ///< The source attends to the target.
};

/// Self loops so that each node attends to itself: every one that is missing is added; present ones stay.
enum class AddSelfLoops { no, yes };

struct FreezeOptions {
  Flow flow = Flow::source_to_target;
  AddSelfLoops self_loops = AddSelfLoops::no;
  /// Put the edge weights in front of the edge features as one more column (weight 1 where there are none).
  bool weight_as_feature = false;
  std::optional<StandardScale> weight_scale = {};  ///< Of that column; without it the weights are as they are.
};

/// The view of `graph` that the kernels use, with its transpose. An added self loop gets the mean of the features of
/// the node's incoming edges (zeros when there are none), as PyTorch Geometric does. O(nodes + arcs).
FrozenGraph freeze(const Graph& graph, const FreezeOptions& options = {});

/// A mask from arrays: `incoming` is checked, with at most kMaximalArcs slots (DataError); `source_count` may differ
/// from the number of rows, as for attention between two node sets. `edge[slot] == slot`.
FrozenGraph freeze(Csr incoming, std::size_t source_count);

}  // namespace edgewise::graph
