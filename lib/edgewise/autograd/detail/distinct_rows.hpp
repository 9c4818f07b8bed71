#pragma once

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::autograd::detail {

/// Throws UsageError if a row is in two of `lists`, or in one of them twice: more than one thread would write to it.
inline void check_distinct_rows(std::string_view operation, const graph::FrozenGraph& lists) {
  std::vector<bool> is_there(lists.source_count(), false);
  for (const graph::Node row : lists.incoming.columns) {
    if (is_there[row])
      throw UsageError(fmt::format("{}: expected each row once at most, got row {} twice", operation, row));
    is_there[row] = true;
  }
}

}  // namespace edgewise::autograd::detail
