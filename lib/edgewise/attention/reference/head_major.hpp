#pragma once

#include "edgewise/attention/reference/rows.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::reference {

/// A table [rows, heads * width] stored one head after the other, [heads, rows, width]. In the table the rows of a head
/// are usually a power of two apart and would evict one another from the L1 cache.
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

}  // namespace edgewise::attention::reference
