#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"

/// @file
/// What is judged on a page, and how much of it is shown.
namespace edgewise::report {

/// Predictions, and the items that they are judged by.
struct Scored {
  const train::Dataset& data;  ///< With the names of the items.
  const data::Labels& labels;
  const Matrix& predictions;      ///< [items, names]
  std::vector<graph::Node> items;  ///< Those with a known label.
  std::string part;               ///< "test", "all", ...
};

/// "335 test nodes", "12 molecules".
std::string items_of(const Scored& scored);

/// Classes and labels shown in curves; the most frequent ones.
inline constexpr std::size_t kMostCurves = 6;
/// Classes shown in tables.
inline constexpr std::size_t kMostRows = 50;
/// Classes of which the whole confusion matrix is shown.
inline constexpr std::size_t kMostConfused = 20;

/// The columns with curves and charts: of two classes the positive one, else the most frequent ones, in their own
/// order.
std::vector<std::size_t> shown_columns(const Scored& scored);

}  // namespace edgewise::report
