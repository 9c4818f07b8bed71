#include "edgewise/autograd/leading_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::autograd {
namespace {

void check_rows(Eigen::Index wanted, Eigen::Index there) {
  if (wanted > there)
    throw UsageError(fmt::format("leading_rows: expected a matrix of at least {} rows, got {}", wanted, there));
}

/// Entries are numbered row by row, so those of the first rows come first.
SparseMatrix first_rows(const CompressedRows& from, Eigen::Index columns, Eigen::Index rows) {
  const auto entries = static_cast<Eigen::Index>(from.offsets[static_cast<std::size_t>(rows)]);
  SparseMatrix first(rows, columns);
  first.resizeNonZeros(entries);
  std::copy_n(from.offsets.begin(), rows + 1, first.outerIndexPtr());
  std::copy_n(from.columns.begin(), entries, first.innerIndexPtr());
  std::copy_n(from.values.begin(), entries, first.valuePtr());
  return first;
}

}  // namespace

Variable leading_rows(Variable x, Eigen::Index rows) {
  check_rows(rows, x.rows());
  if (rows == x.rows()) return x;
  const Variable y = x.tape().first_rows(x, rows);
  x.tape().on_backward(y, [x, y] {
    const GradientTarget target = x.gradient_target();
    const Eigen::Index size = y.rows() * y.cols();
    const MatrixMap from = y.gradient();
    const Eigen::Index touched = target.is_empty ? target.gradient.size() : size;
    detail::for_each_block(touched, [&](Eigen::Index begin, Eigen::Index count) {
      const Eigen::Index shared = std::clamp<Eigen::Index>(size - begin, 0, count);
      detail::FlatArray to = detail::flat(target.gradient, begin, count);
      if (!target.is_empty) {
        to += detail::flat(from, begin, shared);
        return;
      }
      to.head(shared) = detail::flat(from, begin, shared);
      to.tail(count - shared).setZero();
    });
  });
  return y;
}

DenseRows leading_rows(const DenseRows& x, Eigen::Index rows) {
  if (x.table() == nullptr) return leading_rows(Variable(x), rows);
  check_rows(rows, x.rows());
  if (rows == x.rows()) return x;
  return x.tape().selected_rows({x.table(), 0, x.cols()}, x.selected().first(static_cast<std::size_t>(rows)));
}

SparseFeatures leading_rows(Tape& tape, const SparseFeatures& x, Eigen::Index rows) {
  check_rows(rows, x.input->rows());
  if (rows == x.input->rows()) return x;
  const SparseInput& first = tape.keep(SparseInput(first_rows(x.input->by_row, x.input->columns(), rows)));
  if (x.row_values == nullptr) return {&first, x.dropout};
  const std::vector<std::uint32_t>& elements = first.by_column.elements;
  float* column_values = tape.scratch(1, static_cast<Eigen::Index>(elements.size())).data();
  for (std::size_t i = 0; i < elements.size(); ++i) column_values[i] = x.row_values[elements[i]];
  return {&first, x.dropout, x.row_values, column_values};
}

}  // namespace edgewise::autograd
