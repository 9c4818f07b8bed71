#include "edgewise/graph/masks/rows.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"

namespace edgewise::graph {

void refuse_slots(std::string_view rule, std::size_t max_slots) {
  throw UsageError(fmt::format("mask {}: more than {} slots; take a smaller mask or smaller graphs", rule, max_slots));
}

}  // namespace edgewise::graph
