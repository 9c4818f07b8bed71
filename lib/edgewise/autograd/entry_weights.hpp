#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "edgewise/core/check.hpp"
#include "edgewise/core/matrix.hpp"

namespace edgewise::autograd {

/// How much each entry of a loss counts: rows[n] * columns[c], at least 0. Empty spans stand for ones. The loss is then
/// the sum of w * l over the sum of w.
struct EntryWeights {
  std::span<const float> rows = {};     ///< [N]
  std::span<const float> columns = {};  ///< [C]

  float of_row(std::uint32_t row) const { return rows.empty() ? 1.0F : rows[row]; }
  float at(std::uint32_t row, Eigen::Index column) const {
    return of_row(row) * (columns.empty() ? 1.0F : columns[static_cast<std::size_t>(column)]);
  }
  /// Throws UsageError, starting with `operation`, if there are others than one for each row and column of `shape`.
  void check(const char* operation, Shape shape) const {
    if (!rows.empty()) check_count(operation, "row weights", rows.size(), static_cast<std::size_t>(shape.rows));
    if (!columns.empty())
      check_count(operation, "column weights", columns.size(), static_cast<std::size_t>(shape.columns));
  }
};

/// What an error e costs.
enum class Penalty {
  square,  ///< e^2
  huber,   ///< e^2 up to 1, and 2 |e| - 1 beyond: twice the loss of Huber (1964), in which few large errors count less.
};

}  // namespace edgewise::autograd
