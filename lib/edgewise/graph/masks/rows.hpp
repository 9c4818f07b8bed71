#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::graph {

/// Default limit on the slots of a mask.
inline constexpr std::size_t kMaxMaskSlots = 2'000'000'000;

/// Throws UsageError unless the offsets start at 0 and never decrease.
void check_offsets(std::string_view rule, std::span<const Node> offsets);

/// Throws the UsageError for a mask with too many slots.
[[noreturn]] void refuse_slots(std::string_view rule, std::size_t max_slots);

/// Builds a mask within each graph of a union, row by row. `visit_columns(row, size, visit)` calls `visit(column)`, in
/// ascending order, for each node that node `row` of a graph of `size` nodes attends to; both indices are relative to
/// the graph's first node. It is called twice per row, because slots are counted before memory is allocated. Throws
/// UsageError naming `rule` if there would be more than `max_slots` slots.
template <class VisitColumns>
FrozenGraph mask_from_rows(std::string_view rule, std::span<const Node> offsets, std::size_t max_slots,
                           const VisitColumns& visit_columns) {
  check_offsets(rule, offsets);
  Csr incoming;
  const auto visit_rows = [&](const auto& visit_row) {
    for (std::size_t graph = 0; graph + 1 < offsets.size(); ++graph)
      for (Node row = 0; row < offsets[graph + 1] - offsets[graph]; ++row)
        visit_row(offsets[graph], row, offsets[graph + 1] - offsets[graph]);
  };
  EdgeIndex slots = 0;
  visit_rows([&](Node /*first*/, Node row, Node size) {
    visit_columns(row, size, [&](Node) { ++slots; });
    if (slots > max_slots) refuse_slots(rule, max_slots);
    incoming.offsets.push_back(slots);
  });
  incoming.columns.reserve(slots);
  visit_rows([&](Node first, Node row, Node size) {
    visit_columns(row, size, [&](Node column) { incoming.columns.push_back(first + column); });
  });
  return freeze(std::move(incoming), offsets.back());
}

}  // namespace edgewise::graph
