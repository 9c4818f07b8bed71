#include "edgewise/core/product.hpp"

#include <algorithm>

#include "edgewise/core/check.hpp"
#include "edgewise/core/detail/product_blocks.hpp"

namespace edgewise {
namespace {

using detail::pad;
using detail::RightFactor;
using detail::rows_per_block;
using detail::rows_per_sum;
using detail::size_of;
using detail::Start;
using Eigen::Index;

Start start_of(const MatrixRef& out, Result result) {
  return result == Result::add ? Start{out.data(), out.outerStride(), 1} : detail::kFromZero;
}

/// out (+)= a * b by blocks of rows.
void multiply_blocks(const ConstMatrixRef& a, const RightFactor& b, Result result, MatrixRef out) {
  parallel_for(static_cast<std::size_t>(a.rows()), rows_per_block(b.steps, out.cols()),
               [&](std::size_t begin, std::size_t end) {
                 const auto first = static_cast<Index>(begin), count = static_cast<Index>(end - begin);
                 MatrixRef rows = out.middleRows(first, count);
                 detail::multiply_rows({a.data() + first * a.outerStride(), a.outerStride(), 1}, b,
                                       start_of(rows, result), {rows.data(), rows.outerStride(), rows.cols()}, count);
               });
}

}  // namespace

void multiply(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace, Result result) {
  check_shape("multiply", "b", shape_of(b), {a.cols(), b.cols()});
  check_shape("multiply", "out", shape_of(out), {a.rows(), b.cols()});
  workspace.begin();
  multiply_blocks(a, pad(b, workspace), result, out);
}

void multiply_by_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace) {
  check_shape("multiply_by_transpose", "b", shape_of(b), {b.rows(), a.cols()});
  check_shape("multiply_by_transpose", "out", shape_of(out), {a.rows(), b.rows()});
  workspace.begin();
  multiply_blocks(a, detail::pad_transpose(b, workspace), Result::replace, out);
}

void multiply_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace, Result result) {
  check_shape("multiply_transpose", "b", shape_of(b), {a.rows(), b.cols()});
  check_shape("multiply_transpose", "out", shape_of(out), {a.cols(), b.cols()});
  if (result == Result::replace) out.setZero();
  workspace.begin();
  const detail::TransposedSum sum(a.cols(), b.cols());
  const auto rows = static_cast<std::size_t>(a.rows());
  const auto part = [&](Index first, Index count, float* partial) {
    for (Index row = 0; row < count; row += detail::kSumRows) {
      const Index some = std::min(detail::kSumRows, count - row);
      sum.add_rows(a.middleRows(first + row, some), b.middleRows(first + row, some), row == 0, partial);
    }
  };
  detail::sum_over_blocks(rows, rows_per_sum(rows, a.cols(), b.cols()), sum.size(), workspace, part,
                          [&](float* partial) { sum.add_to(partial, out); });
}

void add_column_sums(ConstMatrixRef a, MatrixRef out, Workspace& workspace) {
  check_shape("add_column_sums", "out", shape_of(out), {1, a.cols()});
  workspace.begin();
  const auto rows = static_cast<std::size_t>(a.rows());
  const auto part = [&](Index first, Index count, float* partial) {
    MatrixMap sums(partial, 1, a.cols());
    sums.setZero();
    detail::add_rows(a.middleRows(first, count), sums);
  };
  detail::sum_over_blocks(rows, rows_per_sum(rows, a.cols(), 1), size_of(1, a.cols()), workspace, part,
                          [&](float* partial) { out += MatrixMap(partial, 1, a.cols()); });
}

}  // namespace edgewise
