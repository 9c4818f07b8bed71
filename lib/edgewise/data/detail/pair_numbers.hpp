#pragma once

#include <span>
#include <string_view>

#include "edgewise/core/check.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::data::detail {

/// [pairs, columns]: `fill(source, target, row)` fills the row of a pair, from any thread. Throws UsageError unless there
/// are as many targets as sources, and all are below `nodes`.
template <class Fill>
Matrix pair_numbers(std::string_view operation, std::span<const graph::Node> sources,
                    std::span<const graph::Node> targets, Eigen::Index nodes, std::size_t columns, const Fill& fill) {
  constexpr std::size_t kPairsInChunk = 1024;
  check_count(operation, "targets", targets.size(), sources.size());
  check_indices(operation, "sources", sources, static_cast<std::size_t>(nodes));
  check_indices(operation, "targets", targets, static_cast<std::size_t>(nodes));
  Matrix numbers(static_cast<Eigen::Index>(sources.size()), static_cast<Eigen::Index>(columns));
  parallel_for(sources.size(), kPairsInChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) fill(sources[i], targets[i], numbers.row(static_cast<Eigen::Index>(i)));
  });
  return numbers;
}

}  // namespace edgewise::data::detail
