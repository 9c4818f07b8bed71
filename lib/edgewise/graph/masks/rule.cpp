#include "edgewise/graph/masks/rule.hpp"

#include <fmt/format.h>

namespace edgewise::graph {

std::string MaskRule::usage() const {
  return parameters.empty() ? std::string(name) : fmt::format("{}:{}", name, parameters);
}

}  // namespace edgewise::graph
