#include "edgewise/graph/masks/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "edgewise/core/error.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/graph/masks/band.hpp"
#include "edgewise/graph/masks/causal.hpp"
#include "edgewise/graph/masks/causal_band.hpp"
#include "edgewise/graph/masks/complete.hpp"
#include "edgewise/graph/masks/cross.hpp"
#include "edgewise/graph/masks/grid.hpp"
#include "edgewise/graph/masks/k_hop.hpp"
#include "edgewise/graph/masks/line.hpp"
#include "edgewise/graph/masks/place_features.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/graph/masks/star.hpp"
#include "edgewise/graph/relations.hpp"

namespace edgewise::graph {
namespace {

using In = const MaskInput&;
using Parameters = MaskParameters;

/// The columns of the edge features but for those of the relations.
Eigen::Index columns_after(In in, std::uint32_t relations) {
  return std::max<Eigen::Index>(in.edges.edge_features.cols() - relations, 0);
}

constexpr std::array kRules = {
    MaskRule{.name = "edges",
             .summary = "the sources of its edges",
             .build = [](In in, Parameters) { return in.edges; },
             .reach = [](Parameters) { return std::size_t{1}; },
             .needs_edges = true},
    MaskRule{.name = "k_hop",
             .parameters = "k",
             .summary = "the nodes from which at most k edges lead to it",
             .build = [](In in, Parameters p) { return k_hop_mask(in.edges, p[0], in.max_slots); },
             .features = [](Parameters p) { return static_cast<int>(p[0]) + 1; },
             .slots_along = [](In in, Parameters p,
                               double most) { return k_hop_slots(in.edges, in.offsets, p[0], most); },
             .reach = [](Parameters p) { return std::size_t{p[0]}; },
             .needs_edges = true,
             .max_parameter = 64},
    MaskRule{.name = "complete",
             .summary = "all nodes of its graph",
             .build = [](In in, Parameters) { return complete_mask(in.offsets, in.max_slots); },
             .slots = [](double nodes, Parameters) { return nodes * nodes; },
             .is_ordered = true},
    MaskRule{.name = "band",
             .parameters = "w",
             .summary = "itself and the w nodes before and after it",
             .build = [](In in, Parameters p) { return band_mask(in.offsets, p[0], in.max_slots); },
             .slots = [](double nodes, Parameters p) { return nodes * std::min(nodes, 2.0 * p[0] + 1); },
             .offsets = [](Parameters p) { return 2.0 * p[0] + 1; },
             .offset = [](Node row, Node column, const WindowShape& window) -> Eigen::Index {
               return Eigen::Index{column} - row + window.parameters[0];
             },
             .is_ordered = true},
    MaskRule{.name = "causal",
             .summary = "itself and all nodes before it",
             .build = [](In in, Parameters) { return causal_mask(in.offsets, in.max_slots); },
             .slots = [](double nodes, Parameters) { return nodes * (nodes + 1) / 2; },
             .is_ordered = true},
    MaskRule{.name = "causal_band",
             .parameters = "w",
             .summary = "itself and the w nodes before it",
             .build = [](In in, Parameters p) { return causal_band_mask(in.offsets, p[0], in.max_slots); },
             .slots = [](double nodes, Parameters p) { return nodes * std::min(nodes, p[0] + 1.0); },
             .offsets = [](Parameters p) { return p[0] + 1.0; },
             .offset = [](Node row, Node column, const WindowShape& window) -> Eigen::Index {
               return Eigen::Index{column} - row + window.parameters[0];
             },
             .is_ordered = true},
    MaskRule{
        .name = "grid",
        .parameters = "RxC",
        .summary = "a window of R rows and C columns around it, on a grid",
        .build = [](In in, Parameters p) { return grid_mask(in.offsets, in.grid_columns, p[0], p[1], in.max_slots); },
        .slots = [](double nodes, Parameters p) { return nodes * std::min(nodes, 1.0 * p[0] * p[1]); },
        .offsets = [](Parameters p) { return 1.0 * p[0] * p[1]; },
        .offset = [](Node row, Node column, const WindowShape& window) -> Eigen::Index {
          const Eigen::Index width = window.grid_columns, high = window.parameters[0], wide = window.parameters[1];
          const Eigen::Index down = column / width - row / width + (high - 1) / 2;
          return down * wide + column % width - row % width + (wide - 1) / 2;
        }},
    MaskRule{.name = "star",
             .summary = "itself and the first node of its graph, which attends to all",
             .build = [](In in, Parameters) { return star_mask(in.offsets, in.max_slots); },
             .slots = [](double nodes, Parameters) { return 3 * nodes; }},
    MaskRule{.name = "cross",
             .summary = "the nodes of the other parts of its graph, such as the other molecules of a row",
             .build = [](In in, Parameters) { return cross_mask(in.part_offsets, in.parts, in.max_slots); },
             .slots = [](double nodes, Parameters) { return nodes * nodes; }},
    MaskRule{.name = "relation",
             .parameters = "k",
             .summary = "the sources of its edges of the k-th relation",
             .build = [](In in, Parameters p) { return relation_edges(in.edges, p[0], 0).mask; },
             .reach = [](Parameters) { return std::size_t{1}; },
             .is_of_relation = true,
             .needs_edges = true,
             .max_parameter = 10'000},
    MaskRule{.name = "relation_of",
             .parameters = "kxR",
             .summary = "the sources of its edges of the k-th of R relations, with what other features these have",
             .build = [](In in, Parameters p) { return relation_edges(in.edges, p[0], columns_after(in, p[1])).mask; },
             .reach = [](Parameters) { return std::size_t{1}; },
             .is_of_relation = true,
             .needs_edges = true,
             .max_parameter = 10'000},
    MaskRule{.name = "line",
             .summary = "an edge attends to itself and to those that share a node with it",
             .build = [](In in, Parameters) { return line_mask(in.edges, in.max_slots); },
             .slots_along = [](In in, Parameters, double) { return line_slots(in.edges, in.offsets); },
             .rows = MaskRows::edges,
             .columns = MaskRows::edges,
             .needs_edges = true},
    MaskRule{.name = "ends",
             .summary = "an edge attends to the nodes that it joins",
             .build = [](In in, Parameters) { return ends_mask(in.edges); },
             .rows = MaskRows::edges,
             .needs_edges = true},
    MaskRule{.name = "incident",
             .summary = "a node attends to the edges that join it to others",
             .build = [](In in, Parameters) { return incident_mask(in.edges); },
             .columns = MaskRows::edges,
             .needs_edges = true},
    MaskRule{.name = "readout",
             .summary = "a graph attends to its nodes",
             .build = [](In in, Parameters) { return readout_mask(in.offsets); },
             .rows = MaskRows::graphs},
};

/// Maximum number of feature columns for the positions of a window.
constexpr double kMaxOffsets = 4096;

/// Parses what follows a "+" in the name of a mask; the rule must support it.
PlaceFeatures parse_place_features(std::string_view text, std::string_view name, const Mask& mask,
                                   std::string_view where) {
  const double offsets = mask.rule->offsets(mask.parameters);
  if (name == "offset" && offsets > kMaxOffsets)
    throw UsageError(
        fmt::format("{}: {}: a window of {} places is too large to tell them apart", where, text, offsets));
  if (name == "offset" && offsets > 0) return PlaceFeatures::offset;
  if (name == "distance" && mask.rule->is_ordered) return PlaceFeatures::distance;
  throw UsageError(fmt::format(
      "{}: expected \"+offset\" after band, causal_band or grid, or \"+distance\" after a mask by the order of the "
      "nodes, got \"{}\"",
      where, text));
}

std::size_t parameter_count(const MaskRule& rule) {
  return rule.parameters.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(rule.parameters, 'x')) + 1;
}

/// Integers separated by "x".
std::optional<std::vector<std::uint32_t>> parse_parameters(std::string_view text, const MaskRule& rule) {
  std::vector<std::uint32_t> parameters;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (parameters.size() < parameter_count(rule)) {
    if (!parameters.empty() && (at == end || *at++ != 'x')) return std::nullopt;
    std::uint32_t& value = parameters.emplace_back();
    const auto [next, failure] = std::from_chars(at, end, value);
    if (failure != std::errc() || value < 1 || value > rule.max_parameter) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return parameters;
}

[[noreturn]] void refuse_name(std::string_view text, std::string_view name, std::string_view where) {
  std::vector<std::string> names;
  for (const MaskRule& rule : kRules) names.emplace_back(rule.name);
  throw UsageError(
      fmt::format("{}: expected one of {}, got \"{}\"{}", where, mask_usages(), text, did_you_mean(name, names)));
}

}  // namespace

FrozenGraph Mask::build(const MaskInput& input) const {
  FrozenGraph mask = rule->build(input, parameters);
  if (place_features != PlaceFeatures::none) add_place_features(place_features, *rule, parameters, input, mask);
  return mask;
}

int Mask::features() const {
  if (place_features == PlaceFeatures::none) return rule->features(parameters);
  return place_feature_count(place_features, *rule, parameters);
}

std::span<const MaskRule> mask_rules() { return kRules; }

std::string mask_usages() {
  std::string usages;
  for (const MaskRule& rule : kRules) usages += (usages.empty() ? "" : ", ") + rule.usage();
  return usages;
}

Mask parse_mask(std::string_view text, std::string_view where) {
  if (const std::size_t plus = text.find('+'); plus != std::string_view::npos) {
    Mask mask = parse_mask(text.substr(0, plus), where);
    mask.place_features = parse_place_features(text, text.substr(plus + 1), mask, where);
    return mask;
  }
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto rule = std::ranges::find(kRules, name, &MaskRule::name);
  if (rule == kRules.end()) refuse_name(text, name, where);
  if (rule->parameters.empty() && colon == std::string_view::npos) return {rule, {}};
  if (rule->parameters.empty())
    throw UsageError(fmt::format("{}: {} has no parameters, got \"{}\"", where, name, text));
  const std::string_view given = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  std::optional<std::vector<std::uint32_t>> parameters = parse_parameters(given, *rule);
  if (!parameters)
    throw UsageError(fmt::format("{}: expected {} with {} from 1 to {}, got \"{}\"", where, rule->usage(),
                                 parameter_count(*rule) == 1 ? "an integer" : "integers", rule->max_parameter, text));
  return {rule, std::move(*parameters)};
}

}  // namespace edgewise::graph
