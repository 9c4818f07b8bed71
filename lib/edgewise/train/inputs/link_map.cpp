#include "edgewise/train/inputs/link_map.hpp"

#include <fmt/format.h>

#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/sparse_columns.hpp"

namespace edgewise::train {
LinkMap LinkMap::fit(std::vector<std::string> names, ConstMatrixRef given) {
  LinkMap map;
  map.names_ = std::move(names);
  const double count = std::max<double>(1, static_cast<double>(given.rows()));
  for (Eigen::Index column = 0; column < given.cols(); ++column) {
    const bool is_negative = given.rows() > 0 && given.col(column).minCoeff() < 0;
    map.units_.push_back(is_negative ? 0 : given.col(column).cast<double>().sum() / count);
  }
  const Matrix rows = map.with_logarithms(given);
  for (Eigen::Index column = 0; column < rows.cols(); ++column) {
    const double mean = rows.col(column).cast<double>().sum() / count;
    const double variance = (rows.col(column).cast<double>().array() - mean).square().sum() / count;
    map.means_.push_back(mean);
    map.deviations_.push_back(variance > 0 ? std::sqrt(variance) : 1);
  }
  return map;
}

Matrix LinkMap::with_logarithms(ConstMatrixRef rows) const {
  Matrix result = rows;
  for (Eigen::Index column = 0; column < rows.cols(); ++column)
    if (const double unit = units_[static_cast<std::size_t>(column)]; unit > 0)
      result.col(column) = (rows.col(column).cast<double>().array() / unit).max(0).log1p().cast<float>();
  return result;
}

Eigen::Index LinkMap::columns() const {
  return static_cast<Eigen::Index>(trees_ ? trees_->outputs() : names_.size());
}

Matrix LinkMap::apply(ConstMatrixRef rows) const {
  if (trees_) return trees_->apply(with_all_entries(rows));
  Matrix scaled = with_logarithms(rows);
  for (Eigen::Index column = 0; column < rows.cols(); ++column) {
    const auto c = static_cast<std::size_t>(column);
    scaled.col(column) = ((scaled.col(column).cast<double>().array() - means_[c]) / deviations_[c]).cast<float>();
  }
  return scaled;
}

json::Value LinkMap::to_json() const {
  json::Array units, means, deviations;
  for (const double unit : units_) units.emplace_back(unit);
  for (const double mean : means_) means.emplace_back(mean);
  for (const double deviation : deviations_) deviations.emplace_back(deviation);
  json::Value value = json::Object{
      {"numbers", names_},
      {"units", std::move(units)},
      {"means", std::move(means)},
      {"deviations", std::move(deviations)}};
  value.set("negatives", negatives_);
  if (trees_) value.set("trees", trees_->to_json());
  return value;
}

LinkMap LinkMap::from_json(const json::Value& value) {
  LinkMap map;
  map.names_ = value.at("numbers").as_strings();
  for (const json::Value& unit : value.at("units").as_array()) map.units_.push_back(unit.as_number());
  for (const json::Value& mean : value.at("means").as_array()) map.means_.push_back(mean.as_number());
  for (const json::Value& deviation : value.at("deviations").as_array())
    map.deviations_.push_back(deviation.as_number());
  const std::size_t count = map.names_.size();
  if (map.units_.size() != count || map.means_.size() != count || map.deviations_.size() != count)
    throw ModelError(fmt::format("links: {} numbers, but {} units, {} means and {} deviations", count,
                                 map.units_.size(), map.means_.size(), map.deviations_.size()));
  for (const double deviation : map.deviations_)
    if (!(deviation > 0)) throw ModelError(fmt::format("links: a deviation of {}", deviation));
  map.negatives_ = value.at("negatives").as_number();
  if (!(map.negatives_ >= 1)) throw ModelError(fmt::format("links: {} negatives", map.negatives_));
  if (const json::Value* trees = value.find("trees")) map.trees_ = TreeMap::from_json(*trees);
  return map;
}

}  // namespace edgewise::train
