#include "edgewise/train/baselines/detail/logistic_regression.hpp"

#include <fmt/format.h>
#include <lbfgs.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "edgewise/core/error.hpp"

namespace edgewise::train::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// The function to minimise, of weights over intercepts that lie column by column.
struct LogisticLoss {
  const Design& design;
  std::span<const std::int32_t> classes;
  Index outputs;
  double penalty;
  double tolerance;  ///< Of the entries of the gradient.

  Index size() const { return (design.columns() + 1) * outputs; }

  double operator()(const double* point, double* gradient) const {
    const Index columns = design.columns();
    const Eigen::Map<const MatrixXd> weights(point, columns + 1, outputs);
    MatrixXd residuals = outputs_of(design, weights);
    const double loss = outputs == 1 ? sigmoid_loss(residuals, classes) : softmax_loss(residuals, classes);
    Eigen::Map<MatrixXd> slopes(gradient, columns + 1, outputs);
    slopes.topRows(columns) = design.transpose_times(residuals) + penalty * weights.topRows(columns);
    slopes.row(columns) = residuals.colwise().sum();
    return loss + penalty / 2 * weights.topRows(columns).squaredNorm();
  }
};

double evaluate(void* objective, const double* point, double* gradient, int, double) {
  return (*static_cast<const LogisticLoss*>(objective))(point, gradient);
}

/// Not 0: it is enough.
int is_done(void* objective, const double*, const double* gradient, double, double, double, double, int size, int,
            int) {
  const Eigen::Map<const Eigen::VectorXd> slopes(gradient, size);
  return slopes.cwiseAbs().maxCoeff() <= static_cast<const LogisticLoss*>(objective)->tolerance;
}

}  // namespace

/// -log p of each row summed, and the outputs become p - [the class is this one].
double softmax_loss(MatrixXd& outputs, std::span<const std::int32_t> classes) {
  double loss = 0;
  for (Index row = 0; row < outputs.rows(); ++row) {
    const Index truth = classes[static_cast<std::size_t>(row)];
    const double largest = outputs.row(row).maxCoeff();
    const double of_truth = outputs(row, truth) - largest;
    outputs.row(row) = (outputs.row(row).array() - largest).exp();
    const double sum = outputs.row(row).sum();
    loss += std::log(sum) - of_truth;
    outputs.row(row) /= sum;
    outputs(row, truth) -= 1;
  }
  return loss;
}

/// The same with a sigmoid: one column, classes 0 and 1.
double sigmoid_loss(MatrixXd& outputs, std::span<const std::int32_t> classes) {
  double loss = 0;
  for (Index row = 0; row < outputs.rows(); ++row) {
    const double truth = classes[static_cast<std::size_t>(row)], output = outputs(row, 0);
    const double small = std::exp(-std::abs(output));
    loss += std::log1p(small) + std::max(output, 0.0) - truth * output;
    outputs(row, 0) = (output >= 0 ? 1 / (1 + small) : small / (1 + small)) - truth;
  }
  return loss;
}

MatrixXd fit_logistic(const Design& design, std::span<const std::int32_t> classes, Index outputs, double penalty,
                      double tolerance) {
  const double largest = tolerance * std::max(1.0, std::sqrt(static_cast<double>(design.rows())));
  LogisticLoss objective{design, classes, outputs, penalty, largest};
  const auto size = static_cast<int>(objective.size());
  const std::unique_ptr<double, decltype(&lbfgs_free)> point(lbfgs_malloc(size), lbfgs_free);
  if (point == nullptr) throw std::bad_alloc();
  std::fill_n(point.get(), size, 0.0);
  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = 10;
  parameters.epsilon = 0;  // `is_done` ends it
  parameters.max_iterations = 2000;
  // Whatever else ends it, the point is the best that was found.
  lbfgs(size, point.get(), nullptr, evaluate, is_done, &objective, &parameters);
  const Eigen::Map<const MatrixXd> weights(point.get(), design.columns() + 1, outputs);
  if (!weights.allFinite())
    throw NumericalError(
        fmt::format("linear baseline: logistic regression with the penalty {} left the finite numbers", penalty));
  return weights;
}

}  // namespace edgewise::train::detail
