#include "edgewise/core/product.hpp"

#include <algorithm>
#include <cassert>

#include "edgewise/core/detail/product_tile.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise {
namespace {

using detail::LeftFactor;
using detail::padded;
using detail::RightFactor;
using detail::Start;
using detail::Target;
using Eigen::Index;

constexpr Index kSumRows = 64;      // of a sum over rows, so that they stay in the nearest cache
constexpr Index kMostSteps = 1024;  // a tile's columns of the right factor stay in the second cache
constexpr std::size_t kLargestBlockCount = 16;

/// Rows a block of about a quarter of a million multiplications.
std::size_t rows_per_block(Index k, Index m) {
  const auto work = static_cast<std::size_t>(std::max<Index>(k * m, 1));
  return std::clamp<std::size_t>((std::size_t{1} << 18) / work, 64, 256);
}

/// Rows a block of a sum over `rows` rows: at most 16 blocks, so that few partial sums are kept.
std::size_t rows_per_sum(std::size_t rows, Index k, Index m) {
  return std::max(rows_per_block(k, m), (rows + kLargestBlockCount - 1) / kLargestBlockCount);
}

std::size_t size_of(Index rows, Index columns) { return static_cast<std::size_t>(rows * columns); }

/// `b` with its columns padded with zeros, in `scratch`; `b` itself where nothing is to be padded.
RightFactor pad(const ConstMatrixRef& b, float* scratch) {
  const Index columns = padded(b.cols());
  if (columns == b.cols()) return {b.data(), b.outerStride(), b.rows()};
  MatrixMap copy(scratch, b.rows(), columns);
  copy.leftCols(b.cols()) = b;
  copy.rightCols(columns - b.cols()).setZero();
  return {copy.data(), columns, copy.rows()};
}
RightFactor pad(const ConstMatrixRef& b, Workspace& workspace) {
  return pad(b, workspace.take(size_of(b.rows(), padded(b.cols()))));
}

RightFactor pad_transpose(const ConstMatrixRef& b, Workspace& workspace) {
  const Index columns = padded(b.rows());
  MatrixMap copy(workspace.take(size_of(b.cols(), columns)), b.cols(), columns);
  copy.leftCols(b.rows()) = b.transpose();
  copy.rightCols(columns - b.rows()).setZero();
  return {copy.data(), columns, copy.rows()};
}

/// out = start + a * b by blocks of rows; a start that is `out` adds to it.
void multiply_blocks(const ConstMatrixRef& a, const RightFactor& b, const Start& start, MatrixRef out) {
  parallel_for(static_cast<std::size_t>(a.rows()), rows_per_block(b.steps, out.cols()),
               [&](std::size_t begin, std::size_t end) {
                 const auto first = static_cast<Index>(begin);
                 LeftFactor left{a.data() + first * a.outerStride(), a.outerStride(), 1};
                 const Target target{out.data() + first * out.outerStride(), out.outerStride(), out.cols()};
                 RightFactor right = b;
                 Start from{start.data + first * start.row, start.row, start.column};
                 for (Index step = 0; step == 0 || step < b.steps; step += kMostSteps) {
                   right.steps = std::min(kMostSteps, b.steps - step);
                   detail::multiply_tiles(left, right, from, target, static_cast<Index>(end - begin));
                   left.data += kMostSteps;
                   right.data += kMostSteps * b.row;
                   from = {target.data, target.row, 1};
                 }
               });
}

Start start_of(const MatrixRef& out, Result result) {
  return result == Result::add ? Start{out.data(), out.outerStride(), 1} : detail::kFromZero;
}

/// out = a^T * b, a few rows at a time, which `scratch` has room for, padded.
void multiply_transposed_block(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixMap out, float* scratch) {
  Start start = detail::kFromZero;
  for (Index row = 0; row < a.rows(); row += kSumRows) {
    const Index count = std::min(kSumRows, a.rows() - row);
    const LeftFactor left{a.data() + row * a.outerStride(), 1, a.outerStride()};
    detail::multiply_tiles(left, pad(b.middleRows(row, count), scratch), start, {out.data(), out.cols(), out.cols()},
                           out.rows());
    start = {out.data(), out.cols(), 1};
  }
}

/// Row by row: the order of Eigen's own column sums depends on the alignment of the result.
void sum_columns(const ConstMatrixRef& a, MatrixMap out) {
  out.setZero();
  for (Index row = 0; row < a.rows(); ++row) out += a.row(row);
}

/// `part(first, count, partial)` fills the partial result, of `size` floats, of a block of rows; `add(partial)` adds
/// them up in the order of the blocks.
template <class Part, class Add>
void sum_over_blocks(std::size_t rows, std::size_t grain, std::size_t size, Workspace& workspace, const Part& part,
                     const Add& add) {
  workspace.begin();
  const std::size_t blocks = (rows + grain - 1) / grain;
  float* partials = workspace.take(blocks * size);
  const auto partial_of = [&](std::size_t block) { return partials + block * size; };
  parallel_for(rows, grain, [&](std::size_t begin, std::size_t end) {
    part(static_cast<Index>(begin), static_cast<Index>(end - begin), partial_of(begin / grain));
  });
  for (std::size_t block = 0; block < blocks; ++block) add(partial_of(block));
}

/// out += a^T * b and, when `sums` is not nullptr, sums += those of the columns of b.
void add_transposed_product(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef out, float* sums,
                            Workspace& workspace) {
  // The factor whose columns are whole vectors stands right.
  const bool is_swapped = b.cols() % simd::kWideLanes != 0 && a.cols() % simd::kWideLanes == 0;
  const auto rows = static_cast<std::size_t>(a.rows());
  const Index size = out.size();
  const Index sum_count = sums == nullptr ? 0 : b.cols();
  const std::size_t scratch = size_of(kSumRows, padded(is_swapped ? a.cols() : b.cols()));
  const auto part = [&](Index first, Index count, float* partial) {
    const auto a_rows = a.middleRows(first, count), b_rows = b.middleRows(first, count);
    float* padding = partial + size + sum_count;
    if (is_swapped)
      multiply_transposed_block(b_rows, a_rows, {partial, b.cols(), a.cols()}, padding);
    else
      multiply_transposed_block(a_rows, b_rows, {partial, a.cols(), b.cols()}, padding);
    if (sums != nullptr) sum_columns(b_rows, {partial + size, 1, sum_count});
  };
  const auto add = [&](float* partial) {
    if (is_swapped)
      out += MatrixMap(partial, b.cols(), a.cols()).transpose();
    else
      out += MatrixMap(partial, a.cols(), b.cols());
    if (sums != nullptr) MatrixMap(sums, 1, sum_count) += MatrixMap(partial + size, 1, sum_count);
  };
  sum_over_blocks(rows, rows_per_sum(rows, a.cols(), b.cols()), size_of(1, size + sum_count) + scratch, workspace, part,
                  add);
}

}  // namespace

void multiply(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace, Result result) {
  assert(a.cols() == b.rows() && out.rows() == a.rows() && out.cols() == b.cols());
  workspace.begin();
  multiply_blocks(a, pad(b, workspace), start_of(out, result), out);
}

void multiply_and_add_row(ConstMatrixRef a, ConstMatrixRef b, ConstMatrixRef row, MatrixRef out, Workspace& workspace) {
  assert(a.cols() == b.rows() && out.rows() == a.rows() && out.cols() == b.cols());
  assert(row.rows() == 1 && row.cols() == b.cols());
  workspace.begin();
  multiply_blocks(a, pad(b, workspace), {pad(row, workspace).data, 0, 1}, out);
}

void multiply_by_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace, Result result) {
  assert(a.cols() == b.cols() && out.rows() == a.rows() && out.cols() == b.rows());
  workspace.begin();
  multiply_blocks(a, pad_transpose(b, workspace), start_of(out, result), out);
}

void multiply_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Workspace& workspace, Result result) {
  assert(a.rows() == b.rows() && out.rows() == a.cols() && out.cols() == b.cols());
  if (result == Result::replace) out.setZero();
  add_transposed_product(a, b, out, nullptr, workspace);
}

void add_transposed_product_and_sums(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, MatrixRef sums,
                                     Workspace& workspace) {
  assert(a.rows() == b.rows() && out.rows() == a.cols() && out.cols() == b.cols());
  assert(sums.rows() == 1 && sums.cols() == b.cols());
  add_transposed_product(a, b, out, sums.data(), workspace);
}

void add_column_sums(ConstMatrixRef a, MatrixRef out, Workspace& workspace) {
  assert(out.rows() == 1 && out.cols() == a.cols());
  const auto rows = static_cast<std::size_t>(a.rows());
  sum_over_blocks(
      rows, rows_per_sum(rows, a.cols(), 1), size_of(1, a.cols()), workspace,
      [&](Index first, Index count, float* partial) {
        sum_columns(a.middleRows(first, count), {partial, 1, a.cols()});
      },
      [&](float* partial) { out += MatrixMap(partial, 1, a.cols()); });
}

}  // namespace edgewise
