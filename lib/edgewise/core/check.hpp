#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

/// @file
/// Argument checks of public operations, active in every build: a few comparisons, whatever the size of a matrix. Each
/// throws a UsageError with one line that names the operation, the argument, what was found and what was expected.
namespace edgewise {

/// The maximum number of heads in a layer.
inline constexpr int kMaxHeads = 512;

struct Shape {
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t columns = 0;

  friend bool operator==(const Shape&, const Shape&) = default;
};

/// The shape of anything with `rows()` and `cols()`.
template <class Table>
Shape shape_of(const Table& table) {
  return {table.rows(), table.cols()};
}

namespace detail {
[[noreturn]] void refuse_shape(std::string_view operation, std::string_view argument, Shape found, Shape expected);
[[noreturn]] void refuse_count(std::string_view operation, std::string_view argument, std::size_t found,
                               std::size_t expected);
[[noreturn]] void refuse_index(std::string_view operation, std::string_view argument, std::size_t found,
                               std::size_t size);
[[noreturn]] void refuse_offsets(std::string_view operation, std::string_view of, std::size_t count);
[[noreturn]] void refuse_heads(std::string_view operation, std::ptrdiff_t heads, std::ptrdiff_t columns);
[[noreturn]] void refuse_probability(std::string_view operation, float probability);
}  // namespace detail

/// "linear: weight has shape [3, 8], expected [4, 8]"
inline void check_shape(std::string_view operation, std::string_view argument, Shape found, Shape expected) {
  if (found != expected) detail::refuse_shape(operation, argument, found, expected);
}

/// "cross_entropy: classes has 3 elements, expected 4"
inline void check_count(std::string_view operation, std::string_view argument, std::size_t found,
                        std::size_t expected) {
  if (found != expected) detail::refuse_count(operation, argument, found, expected);
}

/// "select_rows: rows contains 7, expected less than 5"
inline void check_index(std::string_view operation, std::string_view argument, std::size_t found, std::size_t size) {
  if (found >= size) detail::refuse_index(operation, argument, found, size);
}

/// As `check_index`, of each of many.
template <class Indices>
void check_indices(std::string_view operation, std::string_view argument, const Indices& found, std::size_t size) {
  for (const auto index : found) check_index(operation, argument, index, size);
}

/// "flip_signs: expected offsets that ascend from 0 to the number of nodes, 6"
template <class Offsets>
void check_offsets(std::string_view operation, std::string_view of, const Offsets& offsets, std::size_t count) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != count || !std::ranges::is_sorted(offsets))
    detail::refuse_offsets(operation, of, count);
}

/// "attend: expected 1 to 512 heads that divide 10 columns, got 4"
inline void check_heads(std::string_view operation, std::ptrdiff_t heads, std::ptrdiff_t columns) {
  if (heads < 1 || heads > kMaxHeads || columns % heads != 0) detail::refuse_heads(operation, heads, columns);
}

/// "dropout: expected a probability of at least 0 and below 1, got 1.5"
inline void check_probability(std::string_view operation, float probability) {
  if (!(probability >= 0 && probability < 1)) detail::refuse_probability(operation, probability);
}

}  // namespace edgewise
