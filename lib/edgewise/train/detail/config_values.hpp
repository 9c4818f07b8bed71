#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"

/// @file
/// Members of a configuration, read with a check. What is missing keeps its default; what is wrong is a UsageError that
/// names the member by its path.
namespace edgewise::train::detail {

inline const json::Value& empty_object() {
  static const json::Value object{json::Object{}};
  return object;
}

/// An object, empty when it is not there.
inline const json::Value& section(const json::Value& value, std::string_view name) {
  const json::Value* found = value.find(name);
  return found != nullptr && !found->is_null() ? *found : empty_object();
}

[[noreturn]] inline void refuse(const json::Value& parent, std::string_view name, std::string_view expected,
                         std::string_view got) {
  const std::string separator = parent.path().empty() ? "" : parent.path().ends_with(' ') ? "" : ".";
  throw UsageError(fmt::format("{}{}{}: expected {}, got {}", parent.path(), separator, name, expected, got));
}

inline std::string get_choice(const json::Value& value, std::string_view name, const std::string& fallback,
                       std::initializer_list<std::string_view> choices) {
  const std::string chosen = value.get(name, fallback.c_str());
  if (std::find(choices.begin(), choices.end(), chosen) != choices.end()) return chosen;
  const std::vector<std::string_view> list(choices);
  refuse(value, name, fmt::format("one of {}", fmt::join(list, ", ")), fmt::format("\"{}\"", chosen));
}

inline std::int64_t get_at_least(const json::Value& value, std::string_view name, std::int64_t fallback, std::int64_t least) {
  const std::int64_t number = value.get(name, fallback);
  if (number < least) refuse(value, name, fmt::format("at least {}", least), fmt::format("{}", number));
  return number;
}

inline double get_within(const json::Value& value, std::string_view name, double fallback, double low, double high) {
  const double number = value.get(name, fallback);
  if (!(number >= low && number <= high))
    refuse(value, name, fmt::format("a number in [{}, {}]", low, high), fmt::format("{}", number));
  return number;
}

/// An integer from 0 to `most`, 0 when it is not there.
inline std::int64_t get_count(const json::Value& value, std::string_view name, std::int64_t most) {
  const std::int64_t count = value.get(name, std::int64_t{0});
  if (count < 0 || count > most) refuse(value, name, fmt::format("an integer from 0 to {}", most), fmt::format("{}", count));
  return count;
}

/// An integer from 1 to `most`, 1 when it is not there.
inline std::int64_t get_from_one(const json::Value& value, std::string_view name, std::int64_t most) {
  const std::int64_t count = get_at_least(value, name, 1, 1);
  if (count > most) refuse(value, name, fmt::format("at most {}", most), fmt::format("{}", count));
  return count;
}

}  // namespace edgewise::train::detail
