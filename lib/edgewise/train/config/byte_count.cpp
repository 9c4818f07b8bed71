#include "edgewise/train/config/byte_count.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "edgewise/core/error.hpp"

namespace edgewise::train {

std::uint64_t bytes_of_size(const std::string& where, const std::string& size) {
  constexpr std::string_view kUnits = "KMGT";
  double number = 0;
  const char* end = size.data() + size.size();
  const auto [unit, error] = std::from_chars(size.data(), end, number);
  const std::size_t power = end - unit == 1 ? kUnits.find(*unit) : kUnits.npos;
  const double bytes = power == kUnits.npos ? 0 : number * std::pow(1024.0, static_cast<double>(power + 1));
  if (error != std::errc() || !(bytes >= 1) || bytes > 1e18)
    throw UsageError(fmt::format("{}: expected a size such as 512M or 4G, got \"{}\"", where, size));
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace edgewise::train
