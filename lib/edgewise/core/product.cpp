#include "edgewise/core/product.hpp"

#include <algorithm>
#include <cassert>

#include "edgewise/core/parallel.hpp"

namespace edgewise {
namespace {

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
                 put(out.middleRows(first, count), result, a.middleRows(first, count) * b);
               });
}

void multiply_by_transpose(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out, Result result) {
  assert(a.cols() == b.cols() && out.rows() == a.rows() && out.cols() == b.rows());
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
                    partial.noalias() = a.middleRows(first, count).transpose() * b.middleRows(first, count);
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
