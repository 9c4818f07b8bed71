#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"

namespace edgewise::nn {

/// {"preset": "gat", "hidden": 64, ...} expanded to {"graph": {...}, "blocks": [...]}. docs/models.md lists the
/// parameters of each. Throws UsageError for an unknown preset, an unknown parameter or a bad value.
json::Value expand_preset(const json::Value& config);

/// What a preset is, so that nobody needs to know it by its name.
struct PresetTraits {
  std::string_view name = {};
  bool has_self_loops = false;       ///< Added unless the configuration says otherwise.
  bool has_heads = false;            ///< Attention heads, which share "hidden" between them.
  bool uses_graph = true;            ///< Edges, or the order of the nodes.
  bool uses_attention = false;
  bool sees_grid = false;            ///< Convolves over the grid of the data, if there is one.
  bool agrees_in_passes = false;     ///< Consistency of several passes is part of its training.
  bool is_sized_for_graphs = false;  ///< Has its own defaults for labels of graphs.
  bool is_relational = false;        ///< Has a layer of each kind of edges, as many as "relations" says.
  bool writes = false;               ///< Reads a source and writes its target: for pairs, and only for them.
  int depth = 1;                     ///< How many of its layers are as deep as one layer of most presets.
};

/// Nothing for an unknown name.
std::optional<PresetTraits> find_preset(std::string_view name);
inline bool is_preset(std::string_view name) { return find_preset(name).has_value(); }
inline bool has_heads(std::string_view name) { return find_preset(name).value_or(PresetTraits{}).has_heads; }

/// The names of all presets.
std::vector<std::string> preset_names();

/// The members that the JSON of a preset may have.
std::vector<std::string> preset_members(std::string_view name);

}  // namespace edgewise::nn
