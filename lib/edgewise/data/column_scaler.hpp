#pragma once

#include <span>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::data {

/// A `StandardScale` for each column, fitted to some rows: those of the training. A column that does not vary there, or
/// is not known, becomes 0.
class ColumnScaler {
 public:
  static ColumnScaler fit(const Matrix& values, std::span<const graph::Node> rows);
  /// To all rows.
  static ColumnScaler fit(const Matrix& values);

  /// [rows, columns], all finite. Throws ModelError when the columns are not as many as those that were fitted.
  Matrix apply(const Matrix& values) const;
  std::size_t columns() const { return mean_.size(); }

  json::Value to_json() const;
  /// Throws ModelError when `value` was not made by `to_json`.
  static ColumnScaler from_json(const json::Value& value);

 private:
  std::vector<double> mean_;
  std::vector<double> scale_;  ///< 1 / deviation, or 0.
};

}  // namespace edgewise::data
