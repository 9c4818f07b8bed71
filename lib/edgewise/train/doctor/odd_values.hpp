#pragma once

#include <string>
#include <vector>

#include "edgewise/io/column.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Numbers that may not be meant as such.
namespace edgewise::train {

/// A number that marks missing values, such as -9999: it is usual for that, or repeats, and lies far from all others.
struct Sentinel {
  float value;
  std::size_t rows;
  float smallest;  ///< Of the other values.
  float largest;
};

/// The sentinels among the numbers, ascending. O(numbers log numbers).
std::vector<Sentinel> find_sentinels(const std::vector<float>& numbers);

/// One line for each sentinel among the targets and the feature columns (see `feature_columns`), for the first few, and
/// for each target with a few values far from all others; and for a value such as -1 or 999 among classes that are
/// numbers or among targets with few values, which may mean that they are not known.
std::vector<std::string> odd_value_warnings(const Dataset& data, const std::vector<std::string>& split_columns = {});

}  // namespace edgewise::train
