#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/node_names.hpp"

// Only declared: parsing Boost.Graph takes longer than parsing all of our headers. To inspect the Boost graph, include
// edgewise/graph/boost_graph.hpp.
namespace boost {
struct directedS;
struct no_property;
template <class Directed, class VertexProperty, class EdgeProperty, class GraphProperty, class Vertex, class EdgeIndex>
class compressed_sparse_row_graph;
}  // namespace boost

namespace edgewise::graph {

/// Index of an edge as the user gave it (its row in the file), or of an arc or slot derived from it.
using EdgeIndex = std::uint64_t;
/// An EdgeIndex as stored in per-edge arrays, at half the size.
using StoredEdge = std::uint32_t;
/// Maximum number of arcs in a graph; the largest StoredEdge is reserved for "none".
inline constexpr EdgeIndex kMaximalArcs = std::numeric_limits<StoredEdge>::max();

/// The stored type: arc u -> v is in row u. Properties are kept outside, indexed by Boost's `edge_index`.
using BoostGraph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                      boost::no_property, Node, EdgeIndex>;

/// The user's edges in the user's order, before any rule is applied to them.
struct EdgeList {
  std::vector<Node> sources;
  std::vector<Node> targets;
  std::vector<float> weights;              ///< Empty, or one per edge.
  Matrix features;                         ///< [edges, features]; no columns if there are none.
  std::vector<std::string> feature_names;  ///< One per column of `features`.

  std::size_t size() const { return sources.size(); }
};

enum class Direction { directed, undirected };
/// How to treat an edge that is listed twice (in an undirected graph, also as its reverse).
enum class DuplicateEdges { keep_first, keep_all, refuse };
/// How to treat an edge from a node to itself.
enum class SelfLoops { keep, drop, refuse };

struct GraphOptions {
  Direction direction = Direction::undirected;
  DuplicateEdges duplicates = DuplicateEdges::keep_first;
  SelfLoops self_loops = SelfLoops::keep;
};

/// An edge that the options do not allow.
class EdgeError : public DataError {
 public:
  EdgeError(EdgeIndex edge, const std::string& message) : DataError(message), edge_(edge) {}
  EdgeIndex edge() const { return edge_; }

 private:
  EdgeIndex edge_;
};

/// A graph with the user's node names. An undirected edge is stored as two arcs, a self loop as one. Immutable; copies
/// share the Boost graph.
class Graph {
 public:
  Graph();
  /// O(nodes + edges). Throws DataError if there are more than kMaximalArcs arcs, an edge refers to a node not in
  /// `names`, a weight or feature is not finite, or the arrays of `edges` differ in length; EdgeError if `options`
  /// refuse an edge.
  Graph(NodeNames names, EdgeList edges, const GraphOptions& options = {});

  /// For Boost algorithms; include edgewise/graph/boost_graph.hpp to use it.
  const BoostGraph& boost() const { return *boost_; }
  const NodeNames& names() const { return names_; }
  Direction direction() const { return direction_; }

  std::size_t node_count() const { return names_.size(); }
  /// Number of edges the user gave, before duplicates and self loops were dropped.
  std::size_t edge_count() const { return edges_.size(); }
  std::size_t arc_count() const { return edge_of_arc_.size(); }

  /// The user's edges; `edges().sources[e]` and so on.
  const EdgeList& edges() const { return edges_; }
  /// The user's edge of the arc with this Boost edge index.
  EdgeIndex edge_of_arc(EdgeIndex arc) const { return edge_of_arc_[arc]; }

  std::size_t duplicates_dropped() const { return duplicates_dropped_; }
  std::size_t self_loops_dropped() const { return self_loops_dropped_; }

 private:
  NodeNames names_;
  EdgeList edges_;
  Direction direction_ = Direction::undirected;
  std::shared_ptr<const BoostGraph> boost_;
  std::vector<StoredEdge> edge_of_arc_;
  std::size_t duplicates_dropped_ = 0;
  std::size_t self_loops_dropped_ = 0;
};

}  // namespace edgewise::graph
