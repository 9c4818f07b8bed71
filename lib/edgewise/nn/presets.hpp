#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"

namespace edgewise::nn {

/// {"preset": "gat", "hidden": 64, ...} expanded to {"graph": {...}, "blocks": [...]}. docs/models.md lists the
/// parameters of each. Throws UsageError for an unknown preset, an unknown parameter or a bad value.
json::Value expand_preset(const json::Value& config);

/// The names of all presets.
std::vector<std::string> preset_names();
bool is_preset(std::string_view name);

/// Whether layers of this preset have attention heads, which share "hidden" between them; false for an unknown name.
bool has_heads(const std::string& preset);

}  // namespace edgewise::nn
