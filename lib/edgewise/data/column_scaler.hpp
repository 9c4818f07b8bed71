#pragma once

#include <optional>
#include <span>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/data/value_range.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::data {

/// A `StandardScale` per column, fitted to some rows (the training rows). Missing values become 0, and so do columns
/// that are constant in these rows.
class ColumnScaler {
 public:
  /// Throws UsageError for a row beyond the last.
  static ColumnScaler fit(const Matrix& values, std::span<const graph::Node> rows);
  /// Fits all rows.
  static ColumnScaler fit(const Matrix& values);

  /// [rows, columns], all finite. Throws ModelError if the number of columns differs from fitting.
  Matrix apply(const Matrix& values) const;
  std::size_t columns() const { return mean_.size(); }
  /// What fitting saw in a column, if it can tell; models saved by earlier versions do not know.
  const std::optional<ValueRange>& range(std::size_t column) const { return ranges_[column]; }

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static ColumnScaler from_json(const json::Value& value);

 private:
  std::vector<double> mean_;
  std::vector<double> scale_;  ///< 1 / deviation, or 0.
  std::vector<std::optional<ValueRange>> ranges_;
};

}  // namespace edgewise::data
