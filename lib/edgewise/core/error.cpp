#include "edgewise/core/error.hpp"

#include <fmt/format.h>

namespace edgewise {

std::string to_string(const TextLocation& location) {
  if (location.line == 0) return location.file;
  if (location.column == 0) return fmt::format("{}:{}", location.file, location.line);
  return fmt::format("{}:{}:{}", location.file, location.line, location.column);
}

DataError::DataError(const TextLocation& where, std::string_view what)
    : Error(fmt::format("{}: {}", to_string(where), what)) {}

}  // namespace edgewise
