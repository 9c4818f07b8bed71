#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "edgewise/core/json.hpp"

namespace edgewise::data {

/// The numbers that training saw in a column.
struct ValueRange {
  double smallest = 0;
  double largest = 0;
  bool has_heavy_tails = false;  ///< Values far from all others are nothing new.

  /// Nothing for too few values to say what is far, and for values that are all equal.
  static std::optional<ValueRange> fit(std::span<const double> values);

  /// By how many widths of the range the value is beyond it; 0 within it.
  double widths_beyond(double value) const;
  /// Whether it is beyond it by more than the width, and with heavy tails also by more than half the width of the range
  /// of `signed_log`.
  bool is_far(double value) const;

  json::Value to_json() const;
  /// Throws UsageError if `value` was not made by `to_json`.
  static ValueRange from_json(const json::Value& value);
};

/// The values of a column that are far outside of its range, and whether all are outside, as in another unit.
struct FarValues {
  std::size_t rows = 0;     ///< Those that are far.
  std::size_t known = 0;    ///< Of all.
  std::size_t outside = 0;  ///< Those that are smaller or larger than all of the range.
  std::size_t row = 0;  ///< That of the most extreme one.
  double extreme = 0;

  /// Ignores NaN.
  void add(double value, std::size_t at, const ValueRange& range);

  /// Whether this is worth a note.
  bool are_odd() const;
};

/// "2 values are far outside of those in training, which are 16 to 90; the farthest is 3000 (NAME)"
std::string to_string(const FarValues& values, const ValueRange& range, const std::string& name_of_row);

}  // namespace edgewise::data
