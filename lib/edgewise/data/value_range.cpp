#include "edgewise/data/value_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/moments.hpp"
#include "edgewise/core/standard_scale.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::data {
namespace {

double widths_beyond_range(double value, double smallest, double largest) {
  return std::max({smallest - value, value - largest, 0.0}) / (largest - smallest);
}

}  // namespace

std::optional<ValueRange> ValueRange::fit(std::span<const double> values) {
  constexpr std::size_t kFewestValues = 8;
  if (values.size() < kFewestValues) return std::nullopt;
  const auto [smallest, largest] = std::ranges::minmax(values);
  if (!(smallest < largest)) return std::nullopt;
  return ValueRange{smallest, largest, kurtosis(values, moments_of(values)) > kHeavyTails};
}

double ValueRange::widths_beyond(double value) const { return widths_beyond_range(value, smallest, largest); }

bool ValueRange::is_far(double value) const {
  constexpr double kWidthsOfLogarithm = 0.5;
  if (!(widths_beyond(value) > 1)) return false;
  return !has_heavy_tails || widths_beyond_range(signed_log(value), signed_log(smallest), signed_log(largest)) >
                                 kWidthsOfLogarithm;
}

json::Value ValueRange::to_json() const {
  json::Value value;
  value.set("smallest", smallest);
  value.set("largest", largest);
  value.set("heavy_tails", has_heavy_tails);
  return value;
}

ValueRange ValueRange::from_json(const json::Value& value) {
  const ValueRange range{value.at("smallest").as_number(), value.at("largest").as_number(),
                         value.at("heavy_tails").as_bool()};
  if (!(range.smallest < range.largest))
    throw UsageError(fmt::format("expected a range of values, got {} to {}", range.smallest, range.largest));
  return range;
}

void FarValues::add(double value, std::size_t at, const ValueRange& range) {
  if (std::isnan(value)) return;
  ++known;
  outside += value < range.smallest || value > range.largest ? 1 : 0;
  if (!range.is_far(value)) return;
  if (rows++ > 0 && !(range.widths_beyond(value) > range.widths_beyond(extreme))) return;
  row = at;
  extreme = value;
}

bool FarValues::are_odd() const {
  constexpr std::size_t kFewest = 10;
  return rows > 0 || (known >= kFewest && outside == known);
}

std::string to_string(const FarValues& values, const ValueRange& range, const std::string& name_of_row) {
  if (values.rows == 0)
    return fmt::format("all {} values are outside of those in training, which are {:.6g} to {:.6g}: another unit?",
                       values.known, range.smallest, range.largest);
  return fmt::format("{} far outside of those in training, which are {:.6g} to {:.6g}; the farthest is {:.6g} ({})",
                     counted(values.rows, "value is", "values are"), range.smallest, range.largest, values.extreme,
                     name_of_row);
}

}  // namespace edgewise::data
