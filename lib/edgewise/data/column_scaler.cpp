#include "edgewise/data/column_scaler.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/standard_scale.hpp"

namespace edgewise::data {

ColumnScaler ColumnScaler::fit(const Matrix& values, std::span<const graph::Node> rows) {
  check_indices("column scaler", "rows", rows, static_cast<std::size_t>(values.rows()));
  ColumnScaler scaler;
  std::vector<float> of_rows(rows.size());
  for (Eigen::Index column = 0; column < values.cols(); ++column) {
    for (std::size_t i = 0; i < rows.size(); ++i) of_rows[i] = values(rows[i], column);
    const StandardScale scale = StandardScale::fit(of_rows);
    scaler.mean_.push_back(scale.mean);
    scaler.scale_.push_back(scale.scale);
    std::vector<double> known;
    for (const float value : of_rows)
      if (std::isfinite(value)) known.push_back(value);
    scaler.ranges_.push_back(ValueRange::fit(known));
  }
  return scaler;
}

ColumnScaler ColumnScaler::fit(const Matrix& values) {
  std::vector<graph::Node> rows(static_cast<std::size_t>(values.rows()));
  std::iota(rows.begin(), rows.end(), graph::Node{0});
  return fit(values, rows);
}

Matrix ColumnScaler::apply(const Matrix& values) const {
  if (static_cast<std::size_t>(values.cols()) != columns())
    throw ModelError(
        fmt::format("{} columns of numbers, but there were {} in training", values.cols(), columns()));
  Matrix scaled(values.rows(), values.cols());
  for (Eigen::Index row = 0; row < values.rows(); ++row)
    for (std::size_t i = 0; i < columns(); ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      scaled(row, column) = StandardScale{mean_[i], scale_[i]}(values(row, column));
    }
  return scaled;
}

json::Value ColumnScaler::to_json() const {
  json::Value value;
  value.set("mean", mean_);
  value.set("scale", scale_);
  json::Array ranges;
  for (const std::optional<ValueRange>& range : ranges_)
    ranges.push_back(range ? range->to_json() : json::Value());
  value.set("ranges", std::move(ranges));
  return value;
}

ColumnScaler ColumnScaler::from_json(const json::Value& value) {
  try {
    ColumnScaler scaler;
    scaler.mean_ = value.at("mean").as_numbers();
    scaler.scale_ = value.at("scale").as_numbers();
    if (scaler.mean_.size() != scaler.scale_.size())
      throw UsageError(fmt::format("{} means, but {} scales", scaler.mean_.size(), scaler.scale_.size()));
    for (const double scale : scaler.scale_)
      if (!(scale >= 0)) throw UsageError(fmt::format("expected a scale of at least 0, got {}", scale));
    scaler.ranges_.resize(scaler.columns());
    const json::Value* ranges = value.find("ranges");
    if (ranges == nullptr) return scaler;
    if (ranges->as_array().size() != scaler.columns())
      throw UsageError(fmt::format("{} ranges, but {} columns", ranges->as_array().size(), scaler.columns()));
    for (std::size_t i = 0; i < scaler.columns(); ++i)
      if (const json::Value& range = ranges->as_array()[i]; !range.is_null())
        scaler.ranges_[i] = ValueRange::from_json(range);
    return scaler;
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("scaler: {}", error.what()));
  }
}

}  // namespace edgewise::data
