#include "edgewise/data/column_scaler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"

namespace edgewise::data {
namespace {

constexpr double kLargest = 5;  // deviations from the mean

/// NaN where the value is not known.
double compressed(float value) {
  const double number = value;
  return std::isfinite(number) ? std::copysign(std::log1p(std::abs(number)), number)
                               : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

ColumnScaler ColumnScaler::fit(const Matrix& values, std::span<const graph::Node> rows) {
  ColumnScaler scaler;
  for (Eigen::Index column = 0; column < values.cols(); ++column) {
    std::vector<double> known;
    for (const graph::Node row : rows)
      if (const double value = compressed(values(row, column)); !std::isnan(value)) known.push_back(value);
    double sum = 0, squares = 0;
    for (const double value : known) sum += value;
    const double count = std::max<double>(1, static_cast<double>(known.size())), mean = sum / count;
    for (const double value : known) squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / count);
    scaler.mean_.push_back(mean);
    // Below this the differences are rounding of the mean.
    scaler.scale_.push_back(deviation > 1e-6 * std::abs(mean) && deviation > 0 ? 1 / deviation : 0);
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
    throw ModelError(fmt::format("{} columns of numbers, but {} were there in training", values.cols(), columns()));
  Matrix scaled(values.rows(), values.cols());
  for (Eigen::Index row = 0; row < values.rows(); ++row)
    for (std::size_t i = 0; i < columns(); ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      const double value = compressed(values(row, column));
      const double z = std::isnan(value) ? 0 : (value - mean_[i]) * scale_[i];
      scaled(row, column) = static_cast<float>(std::clamp(z, -kLargest, kLargest));
    }
  return scaled;
}

json::Value ColumnScaler::to_json() const {
  json::Value value;
  value.set("mean", mean_);
  value.set("scale", scale_);
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
    return scaler;
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("scaler: {}", error.what()));
  }
}

}  // namespace edgewise::data
