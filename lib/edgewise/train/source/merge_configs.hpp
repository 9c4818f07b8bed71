#pragma once

#include "edgewise/core/json.hpp"

namespace edgewise::train {

/// `base` overridden by the members of `over`, with objects merged member by member. A model with another "preset" or
/// with "blocks" replaces the base's model entirely; another source of data replaces the old one, with what it does not
/// take.
json::Value merge_configs(const json::Value& base, const json::Value& over);

}  // namespace edgewise::train
