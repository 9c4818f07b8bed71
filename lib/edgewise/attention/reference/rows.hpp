#pragma once

#include <cstddef>

#include "edgewise/core/matrix.hpp"

namespace edgewise::attention::reference {

template <class Index>
float* row_of(Matrix& matrix, Index row) {
  return matrix.data() + static_cast<std::ptrdiff_t>(row) * matrix.cols();
}
template <class Index>
const float* row_of(const Matrix& matrix, Index row) {
  return matrix.data() + static_cast<std::ptrdiff_t>(row) * matrix.cols();
}

/// The columns of one head in the rows of a matrix, starting at some row.
template <class T>
struct RowsOf {
  T* data;
  std::ptrdiff_t stride;
  int width;

  T* operator[](std::ptrdiff_t row) const { return data + row * stride; }
};
using HeadRows = RowsOf<const float>;
using MutableHeadRows = RowsOf<float>;

inline HeadRows head_rows(const Matrix& matrix, std::size_t row, int head, int width) {
  return {row_of(matrix, row) + head * width, matrix.cols(), width};
}
inline MutableHeadRows head_rows(Matrix& matrix, std::size_t row, int head, int width) {
  return {row_of(matrix, row) + head * width, matrix.cols(), width};
}

}  // namespace edgewise::attention::reference
