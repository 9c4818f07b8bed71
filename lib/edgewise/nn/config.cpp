#include "edgewise/nn/config.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"

namespace edgewise::nn {

namespace {
constexpr std::string_view kStorage = "storage";
}

int read_positive(const json::Value& config, std::string_view member, int fallback) {
  return static_cast<int>(json::Integer<1>::read(config, member, fallback));
}

int read_width(const json::Value& config, std::string_view member, const ModelShape& shape) {
  const json::Value& value = config.at(member);
  if (value.is_string() && value.as_string() == "outputs") return shape.outputs;
  if (!value.is_integer() || value.as_integer() < 1 || value.as_integer() > kWidestBlock) {
    refuse(config, member, fmt::format("expected a width from 1 to {}, or \"outputs\"", kWidestBlock));
  }
  return static_cast<int>(value.as_integer());
}

int read_width(const json::Value& config, std::string_view member, const ModelShape& shape, int fallback) {
  return config.find(member) == nullptr ? fallback : read_width(config, member, shape);
}

json::Value without_storage(const json::Value& saved) {
  if (saved.is_array()) {
    json::Array elements;
    for (const json::Value& element : saved.as_array()) elements.push_back(without_storage(element));
    return elements;
  }
  if (!saved.is_object()) return saved;
  json::Object members;
  for (const auto& [name, value] : saved.as_object()) {
    const bool is_storage =
        name == kStorage && value.is_string() && (value.as_string() == "float32" || value.as_string() == "bfloat16");
    if (!is_storage) members.emplace_back(name, without_storage(value));
  }
  return members;
}

void refuse_storage(const json::Value& config) {
  if (config.find(kStorage) != nullptr)
    throw UsageError(fmt::format("{}.{}: rows are always float32 now; leave this member out", config.path(), kStorage));
}

}  // namespace edgewise::nn
