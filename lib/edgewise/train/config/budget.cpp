#include "edgewise/train/config/budget.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "edgewise/core/error.hpp"

namespace edgewise::train {

double seconds_of_budget(const std::string& where, const std::string& budget) {
  double number = 0;
  const char* end = budget.data() + budget.size();
  const auto [unit, error] = std::from_chars(budget.data(), end, number);
  const double factor = end - unit != 1 ? 0 : *unit == 's' ? 1 : *unit == 'm' ? 60 : *unit == 'h' ? 3600 : 0;
  const double seconds = number * factor;
  if (error != std::errc() || !(seconds > 0) || !std::isfinite(seconds))
    throw UsageError(fmt::format("{}: expected a time such as 90s, 10m or 2h, got \"{}\"", where, budget));
  return seconds;
}

}  // namespace edgewise::train
