#include "edgewise/autograd/concat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::autograd {

using detail::for_each_rows;
using Eigen::Index;

namespace {

/// As many as fit into a closure; more are joined in several steps.
constexpr std::size_t kMaxParts = 16;

/// to.block(columns from `to_begin`) = or += from.block(columns from `from_begin`), `count` columns.
void copy_columns(MatrixMap from, Index from_begin, MatrixMap to, Index to_begin, Index count) {
  for_each_rows(from.rows(), count, [&](Index begin, Index rows) {
    to.block(begin, to_begin, rows, count) = from.block(begin, from_begin, rows, count);
  });
}

void add_columns(MatrixMap from, Index from_begin, MatrixMap to, Index to_begin, Index count) {
  for_each_rows(from.rows(), count, [&](Index begin, Index rows) {
    to.block(begin, to_begin, rows, count) += from.block(begin, from_begin, rows, count);
  });
}

Variable concat_few(std::span<const Variable> parts) {
  std::array<Variable, kMaxParts> kept;
  std::ranges::copy(parts, kept.begin());
  Index cols = 0;
  bool needs_gradient = false;
  for (const Variable& part : parts) {
    check_shape("concat_columns", "a part", shape_of(part), {parts[0].rows(), part.cols()});
    cols += part.cols();
    needs_gradient = needs_gradient || part.needs_gradient();
  }
  Variable y = parts[0].tape().make(parts[0].rows(), cols, needs_gradient);
  Index begin = 0;
  for (const Variable& part : parts) {
    copy_columns(part.value(), 0, y.value(), begin, part.cols());
    begin += part.cols();
  }
  y.tape().on_backward(y, [kept, count = parts.size(), y] {
    Index column = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (kept[i].needs_gradient()) add_columns(y.gradient(), column, kept[i].gradient(), 0, kept[i].cols());
      column += kept[i].cols();
    }
  });
  return y;
}

}  // namespace

Variable concat_columns(std::span<const Variable> parts) {
  if (parts.empty()) throw UsageError("concat_columns: expected at least one part");
  if (parts.size() == 1) return parts[0];
  if (parts.size() <= kMaxParts) return concat_few(parts);
  std::array<Variable, kMaxParts> joined;
  const std::size_t share = (parts.size() + kMaxParts - 1) / kMaxParts;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < parts.size(); begin += share) {
    joined[count++] = concat_columns(parts.subspan(begin, std::min(share, parts.size() - begin)));
  }
  return concat_few(std::span(joined).first(count));
}

Variable slice_columns(Variable x, Index begin, Index count) {
  if (begin < 0 || count < 0 || begin > x.cols() - count)
    throw UsageError(
        fmt::format("slice_columns: expected columns among {}, got {} from number {} on", x.cols(), count, begin));
  Variable y = x.tape().make(x.rows(), count, x.needs_gradient());
  copy_columns(x.value(), begin, y.value(), 0, count);
  x.tape().on_backward(y, [x, y, begin, count] { add_columns(y.gradient(), 0, x.gradient(), begin, count); });
  return y;
}

}  // namespace edgewise::autograd
