#include "edgewise/graph/masks/rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"

namespace edgewise::graph {

void check_offsets(std::string_view rule, std::span<const Node> offsets) {
  if (!offsets.empty() && offsets.front() == 0 && std::ranges::is_sorted(offsets)) return;
  throw UsageError(fmt::format("mask {}: expected offsets of graphs that ascend from 0", rule));
}

void refuse_slots(std::string_view rule, std::size_t max_slots) {
  throw UsageError(fmt::format("mask {}: more than {} slots; take a smaller mask or smaller graphs", rule, max_slots));
}

}  // namespace edgewise::graph
