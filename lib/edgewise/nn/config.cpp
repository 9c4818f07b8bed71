#include "edgewise/nn/config.hpp"

namespace edgewise::nn {

int read_positive(const json::Value& config, std::string_view member, int fallback) {
  return static_cast<int>(json::Integer<1>::read(config, member, fallback));
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

}  // namespace edgewise::nn
