#include "edgewise/train/baselines/detail/logistic_regression.hpp"

#include <fmt/format.h>
#include <lbfgs.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"

namespace edgewise::train::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kMaxCurvatureColumns = 2000;  // maximum columns for which the curvature is worth its cost

/// The approximate second derivative of the loss: `share` of the curvature, plus the penalty.
class Scale {
 public:
  Scale(const MatrixXd& curvature, double rows, double share, double penalty)
      : second_(share * curvature + penalty * MatrixXd::Identity(curvature.rows(), curvature.cols())),
        factor_(second_),
        is_set_(curvature.size() > 0 && factor_.info() == Eigen::Success),
        intercept_(is_set_ ? 1 / std::sqrt(rows * share) : 1) {}

  /// Transforms a point into weights over intercepts, and likewise the gradient with respect to weights into one with
  /// respect to points.
  void to_weights(MatrixXd& point) const {
    apply(point, [&](VectorXd& column) { factor_.matrixU().solveInPlace(column); });
  }
  void to_slopes(MatrixXd& slopes) const {
    apply(slopes, [&](VectorXd& column) { factor_.matrixL().solveInPlace(column); });
  }

 private:
  template <class Solve>
  void apply(MatrixXd& stacked, const Solve& solve) const {
    if (!is_set_) return;
    const Index columns = stacked.rows() - 1;
    for (Index output = 0; output < stacked.cols(); ++output) {
      VectorXd column = stacked.col(output).head(columns);
      solve(column);
      stacked.col(output).head(columns) = column;
    }
    stacked.row(columns) *= intercept_;
  }

  MatrixXd second_;
  Eigen::LLT<Eigen::Ref<MatrixXd>> factor_;  // in-place factor of `second_`
  bool is_set_;
  double intercept_;
};

/// The function to minimise; points are stored column-major.
struct LogisticLoss {
  const Design& design;
  const Scale& scale;
  std::span<const std::int32_t> classes;
  Index outputs;
  double penalty;
  double tolerance;  ///< Tolerance on the gradient with respect to the weights.
  double largest_slope = 0;
  bool is_interrupted = false;

  Index size() const { return (design.columns() + 1) * outputs; }

  double operator()(const double* point, double* gradient) {
    const Index columns = design.columns();
    MatrixXd weights = Eigen::Map<const MatrixXd>(point, columns + 1, outputs);
    scale.to_weights(weights);
    MatrixXd residuals = outputs_of(design, weights);
    const double loss = outputs == 1 ? sigmoid_loss(residuals, classes) : softmax_loss(residuals, classes);
    MatrixXd slopes(columns + 1, outputs);
    slopes.topRows(columns) = design.transpose_times(residuals) + penalty * weights.topRows(columns);
    slopes.row(columns) = residuals.colwise().sum();
    largest_slope = slopes.cwiseAbs().maxCoeff();
    scale.to_slopes(slopes);
    Eigen::Map<MatrixXd>(gradient, columns + 1, outputs) = slopes;
    return loss + penalty / 2 * weights.topRows(columns).squaredNorm();
  }
};

/// No exception may pass through the library, which is written in C.
double evaluate(void* objective, const double* point, double* gradient, int, double) {
  auto& loss = *static_cast<LogisticLoss*>(objective);
  try {
    return loss(point, gradient);
  } catch (const Interrupted&) {
    loss.is_interrupted = true;
    std::fill_n(gradient, loss.size(), 0.0);
    return 0;
  }
}

/// Nonzero ends the iteration.
int is_done(void* objective, const double*, const double*, double, double, double, double, int, int, int) {
  const auto& loss = *static_cast<const LogisticLoss*>(objective);
  return loss.is_interrupted || loss.largest_slope <= loss.tolerance;
}

/// p (1 - p) if every row has the class shares as its probabilities, averaged over the outputs.
double mean_variance(std::span<const std::int32_t> classes, Index outputs) {
  VectorXd counts = VectorXd::Ones(std::max<Index>(outputs, 2));  // never 0
  for (const std::int32_t of : classes) ++counts[of];
  const VectorXd shares = counts / counts.sum();
  return (shares.array() * (1 - shares.array())).mean();
}

}  // namespace

/// Returns the sum of -log p over the rows and replaces the outputs by p - [class is this one].
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

MatrixXd curvature_of(const Design& design) {
  return design.columns() <= kMaxCurvatureColumns ? design.gram() : MatrixXd();
}

MatrixXd fit_logistic(const Design& design, const MatrixXd& curvature, std::span<const std::int32_t> classes,
                      Index outputs, double penalty, double tolerance) {
  const auto rows = static_cast<double>(design.rows());
  const Scale scale(curvature, rows, mean_variance(classes, outputs), penalty);
  LogisticLoss objective{design, scale, classes, outputs, penalty, tolerance * std::max(1.0, std::sqrt(rows))};
  const auto size = static_cast<int>(objective.size());
  const std::unique_ptr<double, decltype(&lbfgs_free)> point(lbfgs_malloc(size), lbfgs_free);
  if (point == nullptr) throw std::bad_alloc();
  std::fill_n(point.get(), size, 0.0);
  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = 10;
  parameters.epsilon = 0;  // termination is decided by `is_done`
  parameters.max_iterations = 2000;
  // Whatever ends the iteration, the point is the best one found.
  lbfgs(size, point.get(), nullptr, evaluate, is_done, &objective, &parameters);
  if (objective.is_interrupted) throw Interrupted();
  MatrixXd weights = Eigen::Map<const MatrixXd>(point.get(), design.columns() + 1, outputs);
  scale.to_weights(weights);
  if (!weights.allFinite())
    throw NumericalError(
        fmt::format("linear baseline: logistic regression with the penalty {} diverged", penalty));
  return weights;
}

}  // namespace edgewise::train::detail
