#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/core/standard_scale.hpp"
#include "edgewise/graph/column_blocks.hpp"
#include "edgewise/graph/csr.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/graph/lazy_relations.hpp"

namespace edgewise::graph {

/// Row boundaries that split the work into about equal pieces (a row costs its slots + 4). They depend on the graph
/// alone, never on the number of threads.
std::vector<Node> balanced_chunks(std::span<const EdgeIndex> offsets);

inline constexpr StoredEdge kAddedSelfLoop = std::numeric_limits<StoredEdge>::max();

/// The view of a graph that the kernels use. An edge u -> v lets v attend to u: `incoming` has one row per destination
/// v, with its sources as columns in ascending order. A position in `incoming.columns` is a *slot*. `outgoing` is the
/// transpose, with one row per source; `outgoing_slot` maps each of its positions to a slot.
struct FrozenGraph {
  Csr incoming;
  Csr outgoing;
  std::vector<StoredEdge> outgoing_slot;
  std::vector<StoredEdge> incoming_position;  ///< Per slot: its position in `outgoing`.
  bool columns_ascend = true;                 ///< Within each row of `incoming`; `outgoing` always ascends.
  std::vector<StoredEdge> edge;  ///< Per slot: the user's edge, or kAddedSelfLoop.
  Matrix edge_features;         ///< [slots, features] in slot order; no columns if there are none.
  std::vector<Node> incoming_chunks = {0};
  std::vector<Node> outgoing_chunks = {0};
  LazyBlockedEdges blocks;  ///< Only for large graphs.
  LazyRelations relations;  ///< Only for models of relations.

  std::size_t destination_count() const { return incoming.rows(); }
  std::size_t source_count() const { return outgoing.rows(); }
  std::size_t slot_count() const { return incoming.slots(); }
  EdgesBothWays both_ways() const {
    return {incoming, outgoing, incoming_chunks, outgoing_chunks, incoming_position};
  }
  /// The memory it takes, with the blocks made so far.
  std::size_t bytes() const;
};

/// Throws a UsageError that begins with `operation` unless the graph has as many destinations as sources, which one
/// between two node sets may not have.
void check_same_nodes(std::string_view operation, const FrozenGraph& graph);

/// Fills `incoming_position` and `columns_ascend` of a graph that is otherwise complete.
void finish_positions(FrozenGraph& frozen);

/// Which way attention flows along the user's edge `source,target`.
enum class Flow {
  source_to_target,  ///< The target attends to the source. The default.
  target_to_source,  ///< The source attends to the target.
};

/// Whether to add the missing self loops, so that every node attends to itself. Existing ones stay.
enum class AddSelfLoops { no, yes };

/// Which edges of the user stay.
enum class KeptEdges {
  all,
  self_loops,  ///< Nodes attend to themselves at most, to see what a model learns without edges.
};

struct FreezeOptions {
  Flow flow = Flow::source_to_target;
  AddSelfLoops self_loops = AddSelfLoops::no;
  KeptEdges kept = KeptEdges::all;
  /// Prepend the edge weights to the edge features as an extra column (1 if the graph has no weights).
  bool weight_as_feature = false;
  std::optional<StandardScale> weight_scale = {};  ///< Applied to that column; without it the weights are unscaled.
};

/// Builds the kernels' view of `graph`, including its transpose. An added self loop gets the mean of the features of
/// the node's incoming edges (zeros if it has none), as in PyTorch Geometric. O(nodes + arcs).
FrozenGraph freeze(const Graph& graph, const FreezeOptions& options = {});

/// Builds a mask from arrays. `incoming` is checked and may have at most kMaximalArcs slots (DataError). `source_count`
/// may differ from the number of rows, as in attention between two node sets. `edge[slot] == slot`.
FrozenGraph freeze(Csr incoming, std::size_t source_count);

}  // namespace edgewise::graph
