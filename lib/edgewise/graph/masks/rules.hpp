#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/graph/masks/rule.hpp"

/// @file
/// Masks by name: "edges", "k_hop:2", "band:64". Each rule is a file in this folder; rules.cpp has the table.
namespace edgewise::graph {

/// All rules, in the order of docs/models.md.
std::span<const MaskRule> mask_rules();

/// A rule with its parameters.
struct Mask {
  const MaskRule* rule;
  std::vector<std::uint32_t> parameters;
  PlaceFeatures place_features = PlaceFeatures::none;

  /// Throws UsageError if the mask would have more than MaskInput::max_slots.
  FrozenGraph build(const MaskInput& input) const;
  /// Upper bound on the slots of a graph with this many nodes; for rules that need edges, not counting those from
  /// edges.
  double slots(std::size_t nodes) const { return rule->slots(static_cast<double>(nodes), parameters); }
  /// Number of edge feature columns; those of "edges" belong to the graph and are not counted.
  int features() const;
};

/// "edges, k_hop:k, ...": all rules.
std::string mask_usages();

/// Parses "k_hop:2" or "band:3+offset" into a rule and its parameters, integers of at least 1. Throws UsageError
/// "<where>: expected one of ..., got ...", which suggests the intended rule if only a few letters are wrong.
Mask parse_mask(std::string_view text, std::string_view where = "mask");

}  // namespace edgewise::graph
