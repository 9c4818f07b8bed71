#pragma once

#include <cstdint>

#include "edgewise/train/baselines/detail/linear_design.hpp"

namespace edgewise::train::detail {

/// -log p of each row summed, and the outputs become p - [the class is this one].
double softmax_loss(Eigen::MatrixXd& outputs, std::span<const std::int32_t> classes);
/// The same with a sigmoid: one column, classes 0 and 1.
double sigmoid_loss(Eigen::MatrixXd& outputs, std::span<const std::int32_t> classes);

/// X^T X, which tells `fit_logistic` how the loss is curved; of no size where it would have more than 2000 columns.
Eigen::MatrixXd curvature_of(const Design& design);

/// The weights over the intercepts, [columns + 1, outputs], with the least sum of -log p(class) + penalty / 2 |w|^2;
/// one output means a sigmoid. L-BFGS (Liu and Nocedal 1989) until no entry of the gradient is above
/// tolerance * sqrt(rows), or rounding hides any descent. With a `curvature` it runs on weights that are multiplied by
/// a root of the second derivative as it is where every row has the mean probability: where columns differ in size,
/// in far fewer steps. Throws NumericalError when it leaves the finite numbers.
Eigen::MatrixXd fit_logistic(const Design& design, const Eigen::MatrixXd& curvature,
                             std::span<const std::int32_t> classes, Eigen::Index outputs, double penalty,
                             double tolerance);

}  // namespace edgewise::train::detail
