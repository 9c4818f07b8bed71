#pragma once

#include <span>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/node_names.hpp"

namespace edgewise::data {

/// Scales regression targets to mean 0 and standard deviation 1, and predictions back to the user's units. It is fitted
/// to training rows alone and stored in the model file. A default one changes nothing.
class TargetScaler {
 public:
  TargetScaler() = default;

  /// Fits each column to the known (not NaN) targets of `nodes`, using the population standard deviation. A constant
  /// column is divided by its size, so that it stays apart from 0 in no unit. Throws DataError if a column has no known
  /// target among `nodes`, UsageError for a node without a row.
  static TargetScaler fit(ConstMatrixRef targets, std::span<const graph::Node> nodes);

  /// Divides each column by its size, which is above 0.
  static TargetScaler of_sizes(std::vector<double> sizes);

  std::size_t columns() const { return mean_.size(); }
  const std::vector<double>& mean() const { return mean_; }
  /// Per column. For a constant one, the absolute value of its mean; 1 if that is 0.
  const std::vector<double>& deviation() const { return deviation_; }
  /// (target - mean) / deviation. NaN stays NaN. Like `restore`, throws UsageError for another number of columns.
  Matrix transform(ConstMatrixRef targets) const;
  /// scaled * deviation + mean.
  Matrix restore(ConstMatrixRef scaled) const;

  /// {"mean": [...], "deviation": [...]}
  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static TargetScaler from_json(const json::Value& value);

 private:
  void check_columns(Eigen::Index count) const;

  std::vector<double> mean_;
  std::vector<double> deviation_;
};

}  // namespace edgewise::data
