#pragma once

#include <string>
#include <string_view>

#include "edgewise/graph/node_names.hpp"

namespace edgewise::io {

/// For messages about an unknown node: "; there is a node \"7\"" if one is called so but for its spelling, such as
/// "007", "7.0", "7e+00", " 7", or another case; else nothing. O(nodes).
std::string similar_node_hint(const graph::NodeNames& names, std::string_view unknown);

}  // namespace edgewise::io
