#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/graph/graph_union.hpp"
#include "edgewise/graph/masks/rows.hpp"

/// @file
/// Masks by name: "edges", "k_hop:2", "band:64". Each rule is a file of this folder; the table of them is in rules.cpp.
namespace edgewise::graph {

/// What a rule makes a mask of: graphs side by side. Must outlive its use.
struct MaskInput {
  const FrozenGraph& edges;
  std::span<const Node> offsets;  ///< The nodes of graph g are offsets[g] ... offsets[g + 1] - 1.
  std::size_t max_slots = kMaxMaskSlots;
  std::uint32_t grid_columns = 0;  ///< Of each graph, whose nodes are the rows of a grid one behind the other; 0: none.
};

using MaskParameters = std::span<const std::uint32_t>;

/// What a mask says of each slot about where its source stands, as edge features, so that a score may depend on it.
enum class PlaceFeatures {
  none,
  offset,    ///< "+offset": one column for each place of a window, 1 in that of the source.
  distance,  ///< "+distance": log(1 + d) for a source d nodes before, 0 otherwise; then the same of those behind.
};

/// Where the window of a rule is put.
struct WindowShape {
  MaskParameters parameters;
  std::uint32_t grid_columns = 0;
};

/// What the rows, or the columns, of a mask are.
enum class MaskRows { nodes, graphs, edges };

struct MaskRule {
  std::string_view name;
  std::string_view parameters = {};  ///< Of "k_hop:k": "k". Several are separated by "x". Empty: there are none.
  std::string_view summary;          ///< Whom a node attends to; one line.
  FrozenGraph (*build)(const MaskInput& input, MaskParameters parameters);
  /// Columns of the features that `build` makes.
  int (*features)(MaskParameters parameters) = [](MaskParameters) { return 0; };
  /// Slots that a graph of so many nodes has at most; for rules that need edges, beside them.
  double (*slots)(double nodes, MaskParameters parameters) = [](double nodes, MaskParameters) { return nodes; };
  /// Places of the window that a node attends to, and which of them a source has; 0: it is no window.
  double (*offsets)(MaskParameters parameters) = [](MaskParameters) { return 0.0; };
  Eigen::Index (*offset)(Node row, Node column, const WindowShape& window) = nullptr;
  bool is_ordered = false;  ///< It goes by the order of the nodes, in which they have distances.
  MaskRows rows = MaskRows::nodes;
  MaskRows columns = MaskRows::nodes;
  bool needs_edges = false;  ///< Otherwise the numbers of nodes and their order say it all.

  std::uint32_t max_parameter = 1'000'000'000;

  /// Whether nodes attend to nodes.
  bool is_between_nodes() const { return rows == MaskRows::nodes && columns == MaskRows::nodes; }
  /// "k_hop:k"
  std::string usage() const;
};

/// All there are, in the order of docs/models.md.
std::span<const MaskRule> mask_rules();

/// A rule with its parameters.
struct Mask {
  const MaskRule* rule;
  std::vector<std::uint32_t> parameters;
  PlaceFeatures place_features = PlaceFeatures::none;

  /// Throws UsageError when the mask would have more than MaskInput::max_slots.
  FrozenGraph build(const MaskInput& input) const;
  /// Slots that a graph of so many nodes has at most; for rules that need edges, beside them.
  double slots(std::size_t nodes) const { return rule->slots(static_cast<double>(nodes), parameters); }
  /// Columns of its edge features; those of "edges" are the graph's own, and are not counted.
  int features() const;
};

/// "edges, k_hop:k, ...": all there are.
std::string mask_usages();

/// "k_hop:2", or "band:3+offset", as a rule and its parameters, integers of at least 1. Throws UsageError "<where>:
/// expected one of ..., got
/// ...", which names the rule that is meant when a few letters are wrong.
Mask parse_mask(std::string_view text, std::string_view where = "mask");

}  // namespace edgewise::graph
