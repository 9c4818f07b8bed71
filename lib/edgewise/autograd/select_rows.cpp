#include "edgewise/autograd/select_rows.hpp"

#include <numeric>
#include <vector>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

using detail::for_each_rows;
using Eigen::Index;

namespace {

/// Where each row of x was copied to, in ascending order: from places[offsets[row]] on.
struct Taken {
  std::vector<std::size_t> offsets;
  std::vector<Index> places;
};

Taken places_of(std::span<const graph::Node> rows, std::size_t count) {
  Taken taken{std::vector<std::size_t>(count + 1, 0), std::vector<Index>(rows.size())};
  for (const graph::Node row : rows) ++taken.offsets[row + 1];
  std::partial_sum(taken.offsets.begin(), taken.offsets.end(), taken.offsets.begin());
  std::vector<std::size_t> next(taken.offsets.begin(), taken.offsets.end() - 1);
  for (std::size_t i = 0; i < rows.size(); ++i) taken.places[next[rows[i]]++] = static_cast<Index>(i);
  return taken;
}

}  // namespace

Variable select_rows(Variable x, std::span<const graph::Node> rows) {
  for (const graph::Node row : rows) check_index("select_rows", "rows", row, static_cast<std::size_t>(x.rows()));
  Variable y = x.tape().make(static_cast<Index>(rows.size()), x.cols(), x.needs_gradient());
  MatrixMap from = x.value(), to = y.value();
  for_each_rows(y.rows(), y.cols(), [&](Index begin, Index count) {
    for (Index row = begin; row < begin + count; ++row) to.row(row) = from.row(rows[static_cast<std::size_t>(row)]);
  });
  x.tape().on_backward(y, [x, y, rows] {
    const Taken taken = places_of(rows, static_cast<std::size_t>(x.rows()));
    MatrixMap dy = y.gradient(), dx = x.gradient();
    // Forward was y_i = x_rows[i], so dx_rows[i] += dy_i. Each row of x has one writer, which adds in order.
    for_each_rows(x.rows(), x.cols(), [&](Index begin, Index count) {
      for (Index row = begin; row < begin + count; ++row)
        for (std::size_t i = taken.offsets[static_cast<std::size_t>(row)];
             i < taken.offsets[static_cast<std::size_t>(row) + 1]; ++i)
          dx.row(row) += dy.row(taken.places[i]);
    });
  });
  return y;
}

}  // namespace edgewise::autograd
