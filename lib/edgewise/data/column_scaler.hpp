#pragma once

#include <span>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
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

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static ColumnScaler from_json(const json::Value& value);

 private:
  std::vector<double> mean_;
  std::vector<double> scale_;  ///< 1 / deviation, or 0.
};

}  // namespace edgewise::data
