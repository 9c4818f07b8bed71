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
};

using MaskParameters = std::span<const std::uint32_t>;

/// What the rows of a mask are. The columns are always nodes.
enum class MaskRows { nodes, graphs };

struct MaskRule {
  std::string_view name;
  std::string_view parameters = {};  ///< Of "k_hop:k": "k". Several are separated by "x". Empty: there are none.
  std::string_view summary;          ///< Whom a node attends to; one line.
  FrozenGraph (*build)(const MaskInput& input, MaskParameters parameters);
  /// Columns of the features that `build` makes.
  int (*features)(MaskParameters parameters) = [](MaskParameters) { return 0; };
  MaskRows rows = MaskRows::nodes;
  bool needs_edges = false;  ///< Otherwise the numbers of nodes and their order say it all.

  std::uint32_t max_parameter = 1'000'000'000;

  /// "k_hop:k"
  std::string usage() const;
};

/// All there are, in the order of docs/models.md.
std::span<const MaskRule> mask_rules();

/// A rule with its parameters.
struct Mask {
  const MaskRule* rule;
  std::vector<std::uint32_t> parameters;

  /// Throws UsageError when the mask would have more than MaskInput::max_slots.
  FrozenGraph build(const MaskInput& input) const { return rule->build(input, parameters); }
  /// Columns of its edge features; those of "edges" are the graph's own, and are not counted.
  int features() const { return rule->features(parameters); }
};

/// "edges, k_hop:k, ...": all there are.
std::string mask_usages();

/// "k_hop:2" as a rule and its parameters, integers of at least 1. Throws UsageError "<where>: expected one of ..., got
/// ...", which names the rule that is meant when a few letters are wrong.
Mask parse_mask(std::string_view text, std::string_view where = "mask");

}  // namespace edgewise::graph
