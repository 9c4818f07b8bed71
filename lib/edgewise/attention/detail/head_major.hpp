#pragma once

#include <algorithm>
#include <cstddef>

#include "edgewise/core/matrix.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::detail {

/// The columns of one head in the rows of a matrix, from some row on.
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
  return {matrix.data() + row * static_cast<std::size_t>(matrix.cols()) + head * width, matrix.cols(), width};
}
inline MutableHeadRows head_rows(Matrix& matrix, std::size_t row, int head, int width) {
  return {matrix.data() + row * static_cast<std::size_t>(matrix.cols()) + head * width, matrix.cols(), width};
}

/// A table [rows, heads * width] a head at a time, [heads, rows, width]: rows of a head that lie a power of two apart, as
/// they mostly do, would throw one another out of the nearest cache.
class HeadMajor {
 public:
  void copy(const Matrix& table, int heads) {
    const Eigen::Index width = table.cols() / heads;
    rows_.resize(table.rows() * heads, width);
    parallel_chunks(static_cast<std::size_t>(heads), [&](std::size_t chunk) {
      const auto head = static_cast<Eigen::Index>(chunk);
      rows_.middleRows(head * table.rows(), table.rows()) = table.middleCols(head * width, width);
    });
    rows_of_head_ = static_cast<std::size_t>(table.rows());
  }

  HeadRows rows(int head, std::size_t first) const {
    const auto width = static_cast<std::size_t>(rows_.cols());
    return {rows_.data() + (static_cast<std::size_t>(head) * rows_of_head_ + first) * width, rows_.cols(),
            static_cast<int>(width)};
  }

 private:
  Matrix rows_;
  std::size_t rows_of_head_ = 0;
};

}  // namespace edgewise::attention::detail
