#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "edgewise/graph/graph_union.hpp"
#include "edgewise/graph/masks/rows.hpp"

namespace edgewise::graph {

/// Input of a mask rule: a union of graphs. What it refers to must outlive its use.
struct MaskInput {
  const FrozenGraph& edges;
  std::span<const Node> offsets;  ///< Graph g has nodes offsets[g] ... offsets[g + 1] - 1.
  std::size_t max_slots = kMaxMaskSlots;
  std::uint32_t grid_columns = 0;  ///< Columns of each graph's grid, with nodes in row-major order; 0: no grid.
  std::span<const Node> part_offsets = {};  ///< Of the parts of graphs, `parts` of each, see cross_mask.
  std::size_t parts = 0;
};

using MaskParameters = std::span<const std::uint32_t>;

/// Edge features that encode the position of each slot's source, so that scores may depend on it.
enum class PlaceFeatures {
  none,
  offset,    ///< "+offset": one column per position in the window, 1 in the source's column.
  distance,  ///< "+distance": log(1 + d) for a source d nodes before, else 0; then the same for sources after.
};

/// The parameters of a rule's window, and the grid it is placed on.
struct WindowShape {
  MaskParameters parameters;
  std::uint32_t grid_columns = 0;
};

/// What the rows or columns of a mask represent.
enum class MaskRows { nodes, graphs, edges };

struct MaskRule {
  std::string_view name;
  std::string_view parameters = {};  ///< For "k_hop:k": "k". Several are separated by "x"; empty: none.
  std::string_view summary;          ///< What a node attends to, in one line.
  FrozenGraph (*build)(const MaskInput& input, MaskParameters parameters);
  /// Number of feature columns that `build` creates.
  int (*features)(MaskParameters parameters) = [](MaskParameters) { return 0; };
  /// Upper bound on the slots of a graph with this many nodes; for rules that need edges, not counting those from
  /// edges.
  double (*slots)(double nodes, MaskParameters parameters) = [](double nodes, MaskParameters) { return nodes; };
  /// For rules along edges that may have many more slots than there are edges: the slots of the largest graph of the
  /// input, or a bound on them: an upper one at most `most`, or a lower one above it. Without creating the mask.
  double (*slots_along)(const MaskInput& input, MaskParameters parameters, double most) = nullptr;
  /// The maximum number of steps along the edges to what a node attends to; null: no such bound.
  std::size_t (*reach)(MaskParameters parameters) = nullptr;
  /// Number of positions in a node's window, and the position of a given source. 0: the rule has no window.
  double (*offsets)(MaskParameters parameters) = [](MaskParameters) { return 0.0; };
  Eigen::Index (*offset)(Node row, Node column, const WindowShape& window) = nullptr;
  bool is_ordered = false;  ///< The rule depends on the order of the nodes, which defines distances between them.
  MaskRows rows = MaskRows::nodes;
  MaskRows columns = MaskRows::nodes;
  bool is_of_relation = false;  ///< The edges of the relation that is the first parameter (relations.hpp).
  bool needs_edges = false;  ///< Otherwise the node counts and the order determine the mask.

  std::uint32_t max_parameter = 1'000'000'000;

  /// Whether nodes attend to nodes.
  bool is_between_nodes() const { return rows == MaskRows::nodes && columns == MaskRows::nodes; }
  /// "k_hop:k"
  std::string usage() const;
};

}  // namespace edgewise::graph
