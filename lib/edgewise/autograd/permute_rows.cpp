#include "edgewise/autograd/permute_rows.hpp"

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

using detail::for_each_rows;
using Eigen::Index;

Variable permute_rows(Variable x, std::span<const graph::Node> order) {
  const auto rows_of_x = static_cast<std::size_t>(x.rows());
  check_count("permute_rows", "order", order.size(), rows_of_x);
  for (const graph::Node node : order) check_index("permute_rows", "order", node, rows_of_x);
  Variable y = x.tape().make(x.rows(), x.cols(), x.needs_gradient());
  MatrixMap from = x.value(), to = y.value();
  for_each_rows(y.rows(), y.cols(), [&](Index begin, Index rows) {
    for (Index row = begin; row < begin + rows; ++row) to.row(row) = from.row(order[static_cast<std::size_t>(row)]);
  });
  x.tape().on_backward(y, [x, y, order] {
    MatrixMap dy = y.gradient(), dx = x.gradient();
    // Forward was y_i = x_order[i], so now dx_order[i] += dy_i: each row has one writer.
    for_each_rows(y.rows(), y.cols(), [&](Index begin, Index rows) {
      for (Index row = begin; row < begin + rows; ++row) dx.row(order[static_cast<std::size_t>(row)]) += dy.row(row);
    });
  });
  return y;
}

}  // namespace edgewise::autograd
