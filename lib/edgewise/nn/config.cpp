#include "edgewise/nn/config.hpp"

#include <fmt/format.h>

namespace edgewise::nn {

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

}  // namespace edgewise::nn
