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

/// Decimals to show a metric with: four, one from a thousand on, none from a million on.
int decimals_of(double value);

/// "0.8310", or "-" if undefined (such as a metric over no nodes).
std::string format_metric(double value);

/// Formats {"mean": ..., "std": ..., "values": [...]} as "0.8310 ± 0.0070", without the spread for a single value.
std::string format_summary(const json::Value& summary);

/// The width of the column of a table that starts with these names: 24, or more if they are longer. Counts bytes: no
/// character has fewer of them than it takes columns, so that names always fit.
std::size_t width_of(const std::vector<std::string>& names);

}  // namespace edgewise::report
