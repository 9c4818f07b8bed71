#pragma once

#include <cstdint>

#include "edgewise/train/baselines/detail/linear_design.hpp"

namespace edgewise::train::detail {

/// Returns the sum of -log p over the rows and replaces the outputs by p - [class is this one].
double softmax_loss(Eigen::MatrixXd& outputs, std::span<const std::int32_t> classes);
/// The same with a sigmoid: one column, classes 0 and 1.
double sigmoid_loss(Eigen::MatrixXd& outputs, std::span<const std::int32_t> classes);

/// X^T X, which gives `fit_logistic` the curvature of the loss; empty if it would have more than 2000 columns.
Eigen::MatrixXd curvature_of(const Design& design);

/// Weights stacked over the intercepts, [columns + 1, outputs], that minimise the sum of -log p(class) + penalty / 2
/// |w|^2; a single output means a sigmoid. Runs L-BFGS (Liu and Nocedal 1989) until no entry of the gradient exceeds
/// tolerance * sqrt(rows), or rounding hides any descent. With a `curvature`, it is preconditioned with a root of the
/// second derivative for the case that every row has the mean probability; if columns differ in scale, this takes far
/// fewer steps. Throws NumericalError if it becomes non-finite.
Eigen::MatrixXd fit_logistic(const Design& design, const Eigen::MatrixXd& curvature,
                             std::span<const std::int32_t> classes, Eigen::Index outputs, double penalty,
                             double tolerance);

}  // namespace edgewise::train::detail
