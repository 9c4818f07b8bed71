#pragma once

#include <algorithm>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/parallel.hpp"

/// Helpers shared by the operations. Blocks are fixed, so that the bits do not depend on the number of threads.
namespace edgewise::autograd::detail {

inline constexpr Eigen::Index kElementGrain = 16384;
inline constexpr Eigen::Index kRowGrain = 256;

using FlatArray = Eigen::Map<Eigen::ArrayXf>;

/// Part of a matrix as a flat array, row by row.
inline FlatArray flat(MatrixMap matrix, Eigen::Index begin, Eigen::Index count) {
  return {matrix.data() + begin, count};
}

/// `body(begin, count)` over pieces of [0, size).
template <class Body>
void for_each_block(Eigen::Index size, Body&& body) {
  parallel_for(static_cast<std::size_t>(size), kElementGrain, [&](std::size_t begin, std::size_t end) {
    body(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin));
  });
}

/// Adds the array `piece(begin, count)` to the gradient of x, for each piece.
template <class Piece>
void add_gradient(Variable x, const Piece& piece) {
  const GradientTarget target = x.gradient_target();
  for_each_block(target.gradient.size(), [&](Eigen::Index begin, Eigen::Index count) {
    FlatArray to = flat(target.gradient, begin, count);
    if (target.is_empty)
      to = piece(begin, count);
    else
      to += piece(begin, count);
  });
}

/// Rows per piece if one row costs about `cols` elements.
inline Eigen::Index row_grain(Eigen::Index cols) {
  return std::max<Eigen::Index>(1, kElementGrain / std::max<Eigen::Index>(1, cols));
}

/// `body(begin, count)` over pieces of the rows of a matrix with `cols` columns.
template <class Body>
void for_each_rows(Eigen::Index rows, Eigen::Index cols, Body&& body) {
  parallel_for(static_cast<std::size_t>(rows), static_cast<std::size_t>(row_grain(cols)),
               [&](std::size_t begin, std::size_t end) {
                 body(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin));
               });
}

/// Adds to `target` the partial sums that `accumulate(begin, count, partial)` computes for each piece of the rows. They
/// have the shape of `target` and are added in the order of the pieces.
template <class Accumulate>
void add_row_sums(Tape& tape, Eigen::Index rows, MatrixMap target, Accumulate&& accumulate) {
  const Eigen::Index chunks = (rows + kRowGrain - 1) / kRowGrain;
  if (chunks == 0) return;
  MatrixMap partials = tape.scratch(chunks, target.size());
  parallel_for(static_cast<std::size_t>(rows), kRowGrain, [&](std::size_t begin, std::size_t end) {
    const auto chunk = static_cast<Eigen::Index>(begin) / kRowGrain;
    MatrixMap partial(partials.row(chunk).data(), target.rows(), target.cols());
    partial.setZero();
    accumulate(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin), partial);
  });
  Eigen::Map<Eigen::RowVectorXf> flat_target(target.data(), target.size());
  for (Eigen::Index chunk = 0; chunk < chunks; ++chunk) flat_target += partials.row(chunk);
}

}  // namespace edgewise::autograd::detail
