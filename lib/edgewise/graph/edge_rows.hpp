#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/core/standard_scale.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::graph {

/// The edges into consecutive nodes, somewhere in memory or in a mapped file.
struct EdgePiece {
  Node begin = 0;                       ///< The first node.
  std::span<const EdgeIndex> offsets;   ///< One row per node.
  std::span<const Node> columns;        ///< Ascending in a row: own nodes, counted from `begin`, then the halo's.
  std::span<const Node> halo = {};      ///< Sources of other pieces, ascending.
  std::span<const float> weights = {};  ///< Per edge; empty if all are 1.
  ConstMatrixMap edge_features{nullptr, 0, 0};  ///< [edges, features]
  EdgeIndex first_slot = 0;                     ///< The edges of the pieces before.
  Node halo_before = 0;                         ///< Nodes of the halo below `begin`.

  Node rows() const { return static_cast<Node>(offsets.size() - 1); }
};

/// The edges into one node by ascending source, with a loop from itself if that is added.
struct EdgeRow {
  const EdgePiece* piece;
  Node node;
  EdgeIndex begin;       ///< Among those of the piece.
  std::uint32_t stored;  ///< Edges that are there.
  std::uint32_t own;     ///< The position of the edge from the node itself; `size()` if there is none.
  bool is_loop_added;
  std::uint32_t low, inner;  ///< Of those there, sources before the piece, and in it.

  static constexpr EdgeIndex kAddedSlot = ~EdgeIndex{0};

  std::uint32_t size() const { return stored + (is_loop_added ? 1 : 0); }
  std::uint32_t others() const { return size() - (own < size() ? 1 : 0); }
  /// The k-th edge, among all of the network.
  EdgeIndex slot(std::uint32_t k) const {
    if (is_loop_added && k == own) return kAddedSlot;
    return piece->first_slot + begin + place(k);
  }
  /// The i-th edge in the order in which a mask over the piece has them: sources of the piece, then those of the halo.
  std::uint32_t in_piece_order(std::uint32_t i) const {
    const std::uint32_t from_piece = inner + (is_loop_added ? 1 : 0);
    if (i < from_piece) return low + i;
    return i < from_piece + low ? i - from_piece : i;
  }
  Node source(std::uint32_t k) const {
    if (is_loop_added && k == own) return node;
    const Node column = piece->columns[begin + place(k)];
    if (piece->halo.empty()) return piece->begin + column;
    return column < piece->rows() ? piece->begin + column : piece->halo[column - piece->rows()];
  }

 private:
  /// Of the k-th edge in the stored row, where those of the piece come first.
  std::uint32_t place(std::uint32_t k) const {
    if (is_loop_added && k > own) --k;
    if (k < low) return inner + k;
    return k < low + inner ? k - low : k;
  }
};

/// The edges of a network in one piece or several, row by row, as a mask has them (FreezeOptions), without a copy of
/// them. What the pieces refer to must outlive this.
class EdgeRows {
 public:
  /// All of a graph, which has its loops. Throws UsageError unless destinations and sources are of one node set.
  EdgeRows(const FrozenGraph& graph);  // NOLINT: a graph is edge rows
  /// Pieces of consecutive nodes. The flow is always theirs.
  EdgeRows(std::vector<EdgePiece> pieces, const FreezeOptions& options);

  /// The graph that all of it is, or null.
  const FrozenGraph* graph() const { return graph_; }
  std::size_t node_count() const { return boundaries_.back(); }
  /// Without loops that are added.
  EdgeIndex slot_count() const { return pieces_.back().first_slot + pieces_.back().columns.size(); }
  EdgeRow row(Node node) const;
  std::size_t degree(Node node) const { return adds_loops_ ? row(node).size() : edges_of(node).size(); }
  /// The sum of the first features of the edges into a node, 1 for a loop that is added.
  double weight_sum(Node node) const;
  Eigen::Index feature_count() const;
  /// The features of an edge into `node`; those of an added loop are the means over the node's edges.
  void write_features(Node node, EdgeIndex slot, float* features) const;
  /// What FrozenGraph::edge is of it; any for pieces, unless the loop is added.
  StoredEdge edge(EdgeIndex slot) const;

  /// Starts to read what `row` and `source` need of a node.
  void expect_offsets(Node node) const { __builtin_prefetch(&piece_of(node).offsets[node - piece_of(node).begin]); }
  void expect_columns(Node node) const { __builtin_prefetch(edges_of(node).data()); }

 private:
  const EdgePiece& piece_of(Node node) const {
    if (pieces_.size() == 1) return pieces_.front();
    return pieces_[static_cast<std::size_t>(std::ranges::upper_bound(boundaries_, node) - boundaries_.begin()) - 1];
  }
  std::span<const Node> edges_of(Node node) const {
    const EdgePiece& piece = piece_of(node);
    const EdgeIndex begin = piece.offsets[node - piece.begin], end = piece.offsets[node - piece.begin + 1];
    return piece.columns.subspan(begin, end - begin);
  }
  void find_own(EdgeRow& row) const;
  void write_stored(const EdgePiece& piece, EdgeIndex place, float* features) const;

  const FrozenGraph* graph_ = nullptr;
  std::vector<EdgePiece> pieces_;
  std::vector<Node> boundaries_;
  bool has_loops_ = true;  // or may have
  bool adds_loops_ = false, keeps_loops_only_ = false, weight_is_feature_ = false;
  std::optional<StandardScale> weight_scale_;
};

}  // namespace edgewise::graph
