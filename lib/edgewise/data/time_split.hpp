#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/node_table.hpp"

/// @file
/// Splits by time: the past is trained on, the future tested.
namespace edgewise::data {

/// Days since 1970-01-01 (UTC) of 2024, 2024-03, 2024-03-31 or 2024/03/31, also with a time of day after a "T" or a
/// blank (12:30, 12:30:59.5), and with a zone (Z, +02:00). Nothing for any other text.
std::optional<double> parse_date(std::string_view text);

/// The times in a column of numbers, or of dates (`parse_date`) if half of its different texts are, one per row, NaN
/// where missing. Throws DataError with the line for another text.
std::vector<double> read_times(const io::NodeTable& table, std::string_view column);

/// The earliest labelled items are trained on, the next ones validated, the latest tested, in numbers as close to the
/// shares as whole groups of equal times allow; each part that has a share gets at least one time. Items without a time
/// (NaN) have no role. Throws DataError if there are fewer different times than parts.
Split time_split(const Labels& labels, std::span<const double> times, const SplitShares& shares);

}  // namespace edgewise::data
