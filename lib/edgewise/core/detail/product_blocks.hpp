#pragma once

#include <algorithm>

#include "edgewise/core/detail/product_tile.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/workspace.hpp"

/// @file
/// How products are split into blocks of rows that do not depend on the number of threads.
namespace edgewise::detail {

using Eigen::Index;

inline constexpr Index kSumRows = 64;      // of a sum over rows, so that they stay in the L1 cache
inline constexpr Index kMaxSteps = 1024;  // a tile's columns of the right factor stay in the L2 cache
inline constexpr std::size_t kLargestBlockCount = 16;

/// Rows per block of about a quarter of a million multiplications.
inline std::size_t rows_per_block(Index k, Index m) {
  const auto work = static_cast<std::size_t>(std::max<Index>(k * m, 1));
  return std::clamp<std::size_t>((std::size_t{1} << 18) / work, 64, 256);
}

/// Rows per block of a sum over `rows` rows: at most 16 blocks, to keep few partial sums.
inline std::size_t rows_per_sum(std::size_t rows, Index k, Index m) {
  return std::max(rows_per_block(k, m), (rows + kLargestBlockCount - 1) / kLargestBlockCount);
}

inline std::size_t size_of(Index rows, Index columns) { return static_cast<std::size_t>(rows * columns); }

/// `b` with its columns padded with zeros, in `scratch`; `b` itself if no padding is needed.
inline RightFactor pad(const ConstMatrixRef& b, float* scratch) {
  const Index columns = padded(b.cols());
  if (columns == b.cols()) return {b.data(), b.outerStride(), b.rows()};
  MatrixMap copy(scratch, b.rows(), columns);
  copy.leftCols(b.cols()) = b;
  copy.rightCols(columns - b.cols()).setZero();
  return {copy.data(), columns, copy.rows()};
}

inline RightFactor pad(const ConstMatrixRef& b, Workspace& workspace) {
  return pad(b, workspace.take(size_of(b.rows(), padded(b.cols()))));
}

inline RightFactor pad_transpose(const ConstMatrixRef& b, Workspace& workspace) {
  const Index columns = padded(b.rows());
  MatrixMap copy(workspace.take(size_of(b.cols(), columns)), b.cols(), columns);
  copy.leftCols(b.rows()) = b.transpose();
  copy.rightCols(columns - b.rows()).setZero();
  return {copy.data(), columns, copy.rows()};
}

/// target = start + left * right for `rows` rows; sums may have any length.
inline void multiply_rows(LeftFactor left, const RightFactor& right, Start start, const Target& target, Index rows) {
  RightFactor part = right;
  for (Index step = 0; step == 0 || step < right.steps; step += kMaxSteps) {
    part.steps = std::min(kMaxSteps, right.steps - step);
    multiply_tiles(left, part, start, target, rows);
    left.data += kMaxSteps;
    part.data += kMaxSteps * part.row;
    start = {target.data, target.row, 1};
  }
}

/// a^T b, [k, m], for a [rows, k] and b [rows, m] that are given a few rows at a time.
class TransposedSum {
 public:
  TransposedSum(Index k, Index m) : k_(k), m_(m), is_swapped_(m % simd::kWideLanes != 0 && k % simd::kWideLanes == 0) {}

  /// Floats that a partial sum takes, including the space needed to add rows to it.
  std::size_t size() const { return size_of(k_, m_) + size_of(kSumRows, padded(is_swapped_ ? k_ : m_)); }

  /// Adds up to kSumRows rows to `partial`, or starts it with them.
  void add_rows(const ConstMatrixRef& a, const ConstMatrixRef& b, bool is_first, float* partial) const {
    const ConstMatrixRef& left = is_swapped_ ? b : a;
    const ConstMatrixRef& right = is_swapped_ ? a : b;
    const Index columns = right.cols();
    multiply_tiles({left.data(), 1, left.outerStride()}, pad(right, partial + size_of(k_, m_)),
                   is_first ? kFromZero : Start{partial, columns, 1}, {partial, columns, columns}, left.cols());
  }

  /// out [k, m] += `partial`.
  void add_to(float* partial, MatrixRef out) const {
    if (is_swapped_)
      out += MatrixMap(partial, m_, k_).transpose();
    else
      out += MatrixMap(partial, k_, m_);
  }

 private:
  Index k_;
  Index m_;
  bool is_swapped_;  // so that the right factor is the one whose columns are whole vectors
};

/// Adds row by row: the order of Eigen's own column sums depends on the alignment of the result.
inline void add_rows(const ConstMatrixRef& a, MatrixMap sums) {
  for (Index row = 0; row < a.rows(); ++row) sums += a.row(row);
}

/// `part(first, count, partial)` fills the partial result of a block of rows, `size` floats; `add(partial)` adds up the
/// partial results in block order.
template <class Part, class Add>
void sum_over_blocks(std::size_t rows, std::size_t grain, std::size_t size, Workspace& workspace, const Part& part,
                     const Add& add) {
  const std::size_t blocks = (rows + grain - 1) / grain;
  float* partials = workspace.take(blocks * size);
  const auto partial_of = [&](std::size_t block) { return partials + block * size; };
  parallel_for(rows, grain, [&](std::size_t begin, std::size_t end) {
    part(static_cast<Index>(begin), static_cast<Index>(end - begin), partial_of(begin / grain));
  });
  for (std::size_t block = 0; block < blocks; ++block) add(partial_of(block));
}

}  // namespace edgewise::detail
