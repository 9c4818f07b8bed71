#include "edgewise/core/product.hpp"

#include <algorithm>
#include <cassert>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/simd.hpp"

namespace edgewise {
namespace {

// Small products. Eigen copies both factors into the order its kernel likes; where the right one stays in the nearest
// caches as it is, reading it in place is faster.

using simd::Float16;

constexpr int kTileRows = 4;
#if defined(__AVX512F__)
constexpr int kTileVectors = 4;  // 16 accumulators of 32 registers
#else
constexpr int kTileVectors = 1;  // 8 accumulators of 16 registers
#endif
constexpr Eigen::Index kSmallFactor = 1 << 13;  // floats; from twice that on Eigen is as fast

/// Of a product of [n, k] and [k, m]: whether the small kernel does it.
bool is_small(Eigen::Index k, Eigen::Index m) { return m % simd::kWideLanes == 0 && k * m <= kSmallFactor; }

/// A matrix as the kernel reads its left factor: perhaps transposed.
struct Strided {
  const float* data;
  Eigen::Index row;     ///< From row to row.
  Eigen::Index column;  ///< From column to column.
};

/// kRows rows and kVectors vectors of out (+)= a * b, with `steps` rows of b; the sum goes over them in their order.
template <int kRows, int kVectors>
void multiply_tile(const Strided& a, const float* b, Eigen::Index b_row, Eigen::Index steps, Result result, float* out,
                   Eigen::Index out_row) {
  Float16 sum[kRows][kVectors] = {};
  for (Eigen::Index step = 0; step < steps; ++step) {
    for (int r = 0; r < kRows; ++r) {
      const float factor = a.data[r * a.row + step * a.column];
      for (int v = 0; v < kVectors; ++v) sum[r][v] += factor * simd::load_wide(b + step * b_row + v * simd::kWideLanes);
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) {
      float* to = out + r * out_row + v * simd::kWideLanes;
      simd::store_wide(to, result == Result::add ? simd::load_wide(to) + sum[r][v] : sum[r][v]);
    }
}

/// kRows rows of out (+)= a * b.
template <int kRows>
void multiply_rows(const Strided& a, const ConstMatrixRef& b, Result result, float* out, Eigen::Index out_row) {
  constexpr int kTileColumns = kTileVectors * simd::kWideLanes;
  Eigen::Index c = 0;
  for (; c + kTileColumns <= b.cols(); c += kTileColumns)
    multiply_tile<kRows, kTileVectors>(a, b.data() + c, b.outerStride(), b.rows(), result, out + c, out_row);
  for (; c < b.cols(); c += simd::kWideLanes)
    multiply_tile<kRows, 1>(a, b.data() + c, b.outerStride(), b.rows(), result, out + c, out_row);
}

/// out (+)= a * b, where a [out rows, b rows] is read through its strides.
void multiply_small(Strided a, const ConstMatrixRef& b, Result result, MatrixRef out) {
  const Eigen::Index stride = out.outerStride();
  float* to = out.data();
  Eigen::Index row = 0;
  for (; row + kTileRows <= out.rows(); row += kTileRows, a.data += kTileRows * a.row, to += kTileRows * stride)
    multiply_rows<kTileRows>(a, b, result, to, stride);
  for (; row < out.rows(); ++row, a.data += a.row, to += stride) multiply_rows<1>(a, b, result, to, stride);
}

/// Rows a block of about a quarter of a million multiplications.
std::size_t rows_per_block(Eigen::Index k, Eigen::Index m) {
  const std::size_t work = static_cast<std::size_t>(std::max<Eigen::Index>(k * m, 1));
  return std::clamp<std::size_t>((std::size_t{1} << 18) / work, 64, 256);
}

constexpr std::size_t kLargestBlockCount = 16;

/// Rows a block of a sum over `rows` rows: at most 16 blocks, so that few partial sums are kept.
std::size_t rows_per_sum(std::size_t rows, Eigen::Index k, Eigen::Index m) {
  return std::max(rows_per_block(k, m), (rows + kLargestBlockCount - 1) / kLargestBlockCount);
}

template <class Product>
void put(MatrixRef out, Result result, const Product& product) {
  if (result == Result::replace)
    out.noalias() = product;
  else
    out.noalias() += product;
}

/// out (+)= a * b for a block of rows.
void multiply_block(ConstMatrixRef a, ConstMatrixRef b, Result result, MatrixRef out) {
  if (is_small(b.rows(), b.cols()))
    multiply_small({a.data(), a.outerStride(), 1}, b, result, out);
  else
    put(out, result, a * b);
}

/// out = a^T * b. The small kernel goes through the rows a few at a time, so that they stay in the nearest cache.
void multiply_transposed_block(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out) {
  constexpr Eigen::Index kRows = 64;
  if (!is_small(a.cols(), b.cols())) {
    out.noalias() = a.transpose() * b;
    return;
  }
  for (Eigen::Index row = 0; row < a.rows(); row += kRows) {
    const Strided transposed{a.data() + row * a.outerStride(), 1, a.outerStride()};
    multiply_small(transposed, b.middleRows(row, std::min(kRows, a.rows() - row)),
                   row == 0 ? Result::replace : Result::add, out);
  }
}

/// Partial results of a sum over blocks of rows, kept from call to call so that it is not allocated anew.
float* partial_sums(std::size_t floats) {
  static thread_local Eigen::VectorXf room;
  if (static_cast<std::size_t>(room.size()) < floats) room.resize(static_cast<Eigen::Index>(floats));
  return room.data();
}

/// `part(begin, end, partial)` fills the partial result of a block of rows; they are added to `out` in order.
template <class Part>
void sum_over_blocks(std::size_t rows, std::size_t grain, MatrixRef out, const Part& part) {
  const std::size_t blocks = (rows + grain - 1) / grain;
  const Eigen::Index size = out.size();
  float* partials = partial_sums(blocks * static_cast<std::size_t>(size));
  const auto partial_of = [&](std::size_t block) {
    return MatrixMap(partials + block * static_cast<std::size_t>(size), out.rows(), out.cols());
  };
  parallel_for(rows, grain, [&](std::size_t begin, std::size_t end) {
    part(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin), partial_of(begin / grain));
  });
  for (std::size_t block = 0; block < blocks; ++block) out += partial_of(block);
}

}  // namespace

void multiply(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Result result) {
  assert(a.cols() == b.rows() && out.rows() == a.rows() && out.cols() == b.cols());
  parallel_for(static_cast<std::size_t>(a.rows()), rows_per_block(a.cols(), b.cols()),
               [&](std::size_t begin, std::size_t end) {
                 const auto first = static_cast<Eigen::Index>(begin);
                 const auto count = static_cast<Eigen::Index>(end - begin);
                 multiply_block(a.middleRows(first, count), b, result, out.middleRows(first, count));
               });
}

void multiply_by_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Result result) {
  assert(a.cols() == b.cols() && out.rows() == a.rows() && out.cols() == b.rows());
  if (is_small(b.cols(), b.rows())) {
    const Matrix transposed = b.transpose();
    return multiply(a, transposed, out, result);
  }
  parallel_for(static_cast<std::size_t>(a.rows()), rows_per_block(a.cols(), b.rows()),
               [&](std::size_t begin, std::size_t end) {
                 const auto first = static_cast<Eigen::Index>(begin);
                 const auto count = static_cast<Eigen::Index>(end - begin);
                 put(out.middleRows(first, count), result, a.middleRows(first, count) * b.transpose());
               });
}

void multiply_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Result result) {
  assert(a.rows() == b.rows() && out.rows() == a.cols() && out.cols() == b.cols());
  if (result == Result::replace) out.setZero();
  const auto rows = static_cast<std::size_t>(a.rows());
  sum_over_blocks(rows, rows_per_sum(rows, a.cols(), b.cols()), out,
                  [&](Eigen::Index first, Eigen::Index count, MatrixMap partial) {
                    multiply_transposed_block(a.middleRows(first, count), b.middleRows(first, count), partial);
                  });
}

void add_column_sums(ConstMatrixRef a, MatrixRef out) {
  assert(out.rows() == 1 && out.cols() == a.cols());
  const auto rows = static_cast<std::size_t>(a.rows());
  sum_over_blocks(rows, rows_per_sum(rows, a.cols(), 1), out,
                  [&](Eigen::Index first, Eigen::Index count, MatrixMap partial) {
                    // Row by row: the order of Eigen's own column sums depends on the alignment of the result.
                    partial.setZero();
                    for (Eigen::Index row = first; row < first + count; ++row) partial += a.row(row);
                  });
}

}  // namespace edgewise
