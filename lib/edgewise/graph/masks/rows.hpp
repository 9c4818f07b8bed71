#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::graph {

/// Slots that a mask may have unless its caller says otherwise.
inline constexpr std::size_t kMaxMaskSlots = 2'000'000'000;

/// Throws UsageError unless the offsets begin with 0 and never descend.
void check_offsets(std::string_view rule, std::span<const Node> offsets);

/// Throws the UsageError of a mask that would have too many.
[[noreturn]] void refuse_slots(std::string_view rule, std::size_t max_slots);

/// A mask inside each graph of a union, row by row. `visit_columns(row, size, visit)` calls `visit(column)` for each
/// node that node `row` of a graph of `size` nodes attends to, in ascending order; both are counted from the graph's
/// first node. It is called twice a row: slots are counted before there is memory for them. Throws UsageError naming
/// `rule` when there would be more than `max_slots`.
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
