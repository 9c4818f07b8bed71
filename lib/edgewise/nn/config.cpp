#include "edgewise/nn/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "edgewise/attention/options.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::nn {

void refuse(const json::Value& config, std::string_view member, std::string_view expected) {
  const json::Value* value = config.find(member);
  if (value == nullptr) throw UsageError(fmt::format("{}: \"{}\": {}", config.path(), member, expected));
  throw UsageError(fmt::format("{}: {}, got {}", value->path(), expected, json::dump(*value)));
}

void allow_only(const json::Value& config, std::span<const std::string_view> known) {
  for (const auto& [name, value] : config.as_object()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw UsageError(fmt::format("{}{}unknown member \"{}\"; known are {}", config.path(),
                                 config.path().empty() ? "" : ": ", name, fmt::join(known, ", ")));
  }
}

double shortest(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

int read_positive(const json::Value& config, std::string_view member, int fallback) {
  const int value = config.get(member, fallback);
  if (value < 1) refuse(config, member, "expected an integer of at least 1");
  return value;
}

int read_heads(const json::Value& config, int fallback) {
  const int heads = read_positive(config, "heads", fallback);
  if (heads > kMaxHeads) {
    refuse(config, "heads", fmt::format("expected at most {} heads", kMaxHeads));
  }
  return heads;
}

int read_width(const json::Value& config, std::string_view member, const ModelShape& shape) {
  const json::Value& value = config.at(member);
  if (value.is_string() && value.as_string() == "outputs") return shape.outputs;
  if (!value.is_integer() || value.as_integer() < 1 || value.as_integer() > 1'000'000) {
    refuse(config, member, "expected a width from 1 to 1000000, or \"outputs\"");
  }
  return static_cast<int>(value.as_integer());
}

int read_width(const json::Value& config, std::string_view member, const ModelShape& shape, int fallback) {
  return config.find(member) == nullptr ? fallback : read_width(config, member, shape);
}

float read_probability(const json::Value& config, std::string_view member, float fallback) {
  const double value = config.get(member, static_cast<double>(fallback));
  if (!(value >= 0 && value < 1)) refuse(config, member, "expected a probability of at least 0 and below 1");
  return static_cast<float>(value);
}

int read_choice(const json::Value& config, std::string_view member, const std::vector<std::string>& choices,
                int fallback) {
  const json::Value* value = config.find(member);
  if (value == nullptr) return fallback;
  int index = 0;
  std::string known;
  for (const std::string& choice : choices) {
    if (value->is_string() && value->as_string() == choice) return index;
    known += fmt::format("{}\"{}\"", index == 0 ? "" : ", ", choice);
    ++index;
  }
  refuse(config, member, "expected one of " + known);
}

}  // namespace edgewise::nn
