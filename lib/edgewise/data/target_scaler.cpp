#include "edgewise/data/target_scaler.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::data {

TargetScaler TargetScaler::fit(ConstMatrixRef targets, std::span<const graph::Node> nodes) {
  check_indices("target scaler", "nodes", nodes, static_cast<std::size_t>(targets.rows()));
  TargetScaler scaler;
  for (Eigen::Index column = 0; column < targets.cols(); ++column) {
    double sum = 0, count = 0;
    for (const graph::Node node : nodes) {
      if (std::isnan(targets(node, column))) continue;
      sum += targets(node, column);
      ++count;
    }
    if (count == 0) throw DataError(fmt::format("target {}: no training node has a value", column + 1));
    const double mean = sum / count;
    double squares = 0;
    for (const graph::Node node : nodes) {
      const double from_mean = targets(node, column) - mean;
      if (!std::isnan(from_mean)) squares += from_mean * from_mean;
    }
    const double deviation = std::sqrt(squares / count);
    scaler.mean_.push_back(mean);
    // Smaller deviations are just rounding errors of the mean.
    const bool is_constant = deviation <= 1e-7 * std::abs(mean);
    scaler.deviation_.push_back(!is_constant ? deviation : mean != 0 ? std::abs(mean) : 1);
  }
  return scaler;
}

TargetScaler TargetScaler::of_sizes(std::vector<double> sizes) {
  TargetScaler scaler;
  scaler.mean_.resize(sizes.size(), 0.0);
  scaler.deviation_ = std::move(sizes);
  return scaler;
}

void TargetScaler::check_columns(Eigen::Index count) const {
  if (static_cast<std::size_t>(count) != columns())
    throw UsageError(fmt::format("target scaler: it has {} columns, the targets have {}", columns(), count));
}

Matrix TargetScaler::transform(ConstMatrixRef targets) const {
  if (columns() == 0) return targets;
  check_columns(targets.cols());
  Matrix scaled(targets.rows(), targets.cols());
  for (Eigen::Index row = 0; row < targets.rows(); ++row)
    for (std::size_t i = 0; i < columns(); ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      scaled(row, column) = static_cast<float>((targets(row, column) - mean_[i]) / deviation_[i]);
    }
  return scaled;
}

Matrix TargetScaler::restore(ConstMatrixRef scaled) const {
  if (columns() == 0) return scaled;
  check_columns(scaled.cols());
  Matrix targets(scaled.rows(), scaled.cols());
  for (Eigen::Index row = 0; row < scaled.rows(); ++row)
    for (std::size_t i = 0; i < columns(); ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      targets(row, column) = static_cast<float>(scaled(row, column) * deviation_[i] + mean_[i]);
    }
  return targets;
}

json::Value TargetScaler::to_json() const {
  json::Value value;
  value.set("mean", mean_);
  value.set("deviation", deviation_);
  return value;
}

TargetScaler TargetScaler::from_json(const json::Value& value) {
  try {
    TargetScaler scaler;
    scaler.mean_ = value.at("mean").as_numbers();
    scaler.deviation_ = value.at("deviation").as_numbers();
    if (scaler.mean_.size() != scaler.deviation_.size())
      throw UsageError(fmt::format("{} means, but {} deviations", scaler.mean_.size(), scaler.deviation_.size()));
    for (const double deviation : scaler.deviation_)
      if (!(deviation > 0)) throw UsageError(fmt::format("expected a positive deviation, got {}", deviation));
    return scaler;
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("target scaler: {}", error.what()));
  }
}

}  // namespace edgewise::data
