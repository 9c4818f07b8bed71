#include "edgewise/core/check.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"

namespace edgewise::detail {

void refuse_shape(std::string_view operation, std::string_view argument, Shape found, Shape expected) {
  throw UsageError(fmt::format("{}: {} has shape [{}, {}], expected [{}, {}]", operation, argument, found.rows,
                               found.columns, expected.rows, expected.columns));
}

void refuse_count(std::string_view operation, std::string_view argument, std::size_t found, std::size_t expected) {
  throw UsageError(fmt::format("{}: {} has {} elements, expected {}", operation, argument, found, expected));
}

void refuse_index(std::string_view operation, std::string_view argument, std::size_t found, std::size_t size) {
  throw UsageError(fmt::format("{}: {} contains {}, expected less than {}", operation, argument, found, size));
}

void refuse_offsets(std::string_view operation, std::string_view of, std::size_t count) {
  throw UsageError(
      fmt::format("{}: expected offsets that ascend from 0 to the number of {}, {}", operation, of, count));
}

void refuse_heads(std::string_view operation, std::ptrdiff_t heads, std::ptrdiff_t columns) {
  throw UsageError(
      fmt::format("{}: expected 1 to {} heads that divide {} columns, got {}", operation, kMaxHeads, columns, heads));
}

void refuse_probability(std::string_view operation, float probability) {
  throw UsageError(fmt::format("{}: expected a probability of at least 0 and below 1, got {}", operation, probability));
}

}  // namespace edgewise::detail
