#include "edgewise/autograd/reshape.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"

namespace edgewise::autograd {

Variable reshape(Variable x, Eigen::Index rows, Eigen::Index columns) {
  if (rows * columns != x.rows() * x.cols())
    throw UsageError(fmt::format("reshape: expected as many elements as [{}, {}] has, got [{}, {}]", rows, columns,
                                 x.rows(), x.cols()));
  const Variable y = x.tape().make(rows, columns, x.needs_gradient());
  y.value() = ConstMatrixMap(x.value().data(), rows, columns);
  x.tape().on_backward(y, [x, y] {
    const GradientTarget target = x.gradient_target();
    const ConstMatrixMap from(y.gradient().data(), x.rows(), x.cols());
    if (target.is_empty)
      MatrixMap(target.gradient) = from;
    else
      MatrixMap(target.gradient) += from;
  });
  return y;
}

}  // namespace edgewise::autograd
