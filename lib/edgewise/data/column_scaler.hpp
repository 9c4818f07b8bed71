#pragma once

#include <span>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::data {

/// Makes numbers of any unit alike: y = sign(x) log(1 + |x|), then z = (y - mean) / deviation with those of some
/// training rows, cut at -5 and 5. The logarithm keeps counts and areas, which have long tails, from being a few large
/// numbers beside many small ones. What is not known (NaN, infinities) becomes 0, the mean; so does a column that does
/// not vary in training, or is not known there.
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
