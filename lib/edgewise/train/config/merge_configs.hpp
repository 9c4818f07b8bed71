#pragma once

#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"

namespace edgewise::train {

/// `base` overridden by the members of `over`, with objects merged member by member. A model with another "preset" or
/// with "blocks" replaces the base's model entirely; another data source (a set, an edge list, a graph file) replaces
/// the old one.
json::Value merge_configs(const json::Value& base, const json::Value& over);

/// The members of "data" for which it is known which sources replace them: all, in the order of `config_fields`.
std::vector<std::string_view> mergeable_members();

}  // namespace edgewise::train
