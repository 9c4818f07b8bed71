#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"

/// @file
/// Metrics as people read them.
namespace edgewise::report {

/// The name of the expected calibration error (train::Reliability) beside metrics.
inline constexpr const char* kCalibrationError = "expected_calibration_error";

/// A number with as many decimals as suit one of the size of `like`: four, one from a thousand on, none from a million
/// on. A size that would show no digit, or digits that a float does not have, gets an exponent.
std::string format_beside(double value, double like);

/// "0.8310", "1.2e-07", or "-" if undefined (such as a metric over no nodes).
std::string format_metric(double value);

/// "+0.0120", or "-" if undefined.
std::string format_difference(double value);

/// Formats {"mean": ..., "std": ..., "values": [...]} as "0.8310 ± 0.0070", without the spread for a single value.
std::string format_summary(const json::Value& summary);

/// The width of the column of a table that starts with these names: 24, or more if they are longer. Counts bytes: no
/// character has fewer of them than it takes columns, so that names always fit.
std::size_t width_of(const std::vector<std::string>& names);

}  // namespace edgewise::report
