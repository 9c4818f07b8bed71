#include "edgewise/train/baselines/linear_baseline.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/train/baselines/detail/known_rows.hpp"
#include "edgewise/train/baselines/detail/linear_design.hpp"
#include "edgewise/train/baselines/detail/logistic_regression.hpp"

namespace edgewise::train {
namespace {

using detail::classes_of;
using detail::Design;
using detail::fit_logistic;
using detail::outputs_of;
using detail::Scaling;
using detail::sigmoid_loss;
using detail::softmax_loss;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using graph::Node;

/// Weights stacked over the intercepts: [columns + 1, outputs].
MatrixXd stacked(const MatrixXd& weights, const Eigen::RowVectorXd& intercepts) {
  MatrixXd result(weights.rows() + 1, weights.cols());
  result << weights, intercepts;
  return result;
}

/// Ridge regression for one target. Whatever does not depend on the penalty is computed once.
class Ridge {
 public:
  Ridge(const Design& design, const VectorXd& targets)
      : design_(design), mean_(targets.mean()), is_dual_(design.columns() > design.rows()) {
    // The design is centred over all training rows, not over those where this target is known.
    const auto count = static_cast<double>(design.rows());
    column_means_ = design.transpose_times(VectorXd::Ones(design.rows())) / count;
    residuals_ = targets.array() - mean_;
    if (!is_dual_) {
      system_ = design.gram() - count * column_means_ * column_means_.transpose();
      return;
    }
    system_ = design.kernel();  // centred on both sides
    const Eigen::RowVectorXd means = system_.colwise().mean();
    const double all = means.mean();
    system_.rowwise() -= means;
    system_.colwise() -= means.transpose();
    system_.array() += all;
  }

  /// (X^T X + penalty I)^-1 X^T y, or X^T (X X^T + penalty I)^-1 y.
  MatrixXd fit(double penalty) const {
    MatrixXd shifted = system_;
    shifted.diagonal().array() += penalty;
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(shifted);
    if (factor.info() != Eigen::Success)
      throw NumericalError(fmt::format("linear baseline: ridge with the penalty {} has no solution", penalty));
    const VectorXd along = is_dual_ ? VectorXd(factor.solve(residuals_)) : residuals_;
    // The residuals sum to 0, and so does the solution of the dual system, so the column means drop out.
    const VectorXd product = design_.transpose_times(along) - column_means_ * along.sum();
    const VectorXd weights = is_dual_ ? product : VectorXd(factor.solve(product));
    return stacked(weights, Eigen::RowVectorXd::Constant(1, mean_ - column_means_.dot(weights)));
  }

 private:
  const Design& design_;
  double mean_;
  bool is_dual_;
  VectorXd column_means_, residuals_;
  MatrixXd system_;
};

VectorXd targets_of(const data::Labels& labels, Index output, std::span<const Node> rows) {
  VectorXd targets(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) targets[static_cast<Index>(i)] = labels.targets(rows[i], output);
  return targets;
}

/// One fit per penalty.
struct Part {
  const data::Labels& labels;
  detail::KnownRows rows;

  /// Weights for each penalty.
  std::vector<MatrixXd> fit(const data::Features& features, const Scaling& scaling,
                            const LinearBaselineOptions& options) const {
    const std::vector<double>& penalties = options.penalties;
    const Design design(features, rows.train, scaling);
    std::vector<MatrixXd> weights(penalties.size());
    if (labels.has_numbers()) {
      const Ridge ridge(design, targets_of(labels, rows.output, rows.train));
      parallel_chunks(penalties.size(), [&](std::size_t i) { weights[i] = ridge.fit(penalties[i]); });
      return weights;
    }
    const std::vector<std::int32_t> classes = classes_of(labels, rows.output, rows.train);
    const Index outputs = detail::is_binary(labels) ? 1 : static_cast<Index>(labels.names.size());
    const MatrixXd curvature = detail::curvature_of(design);
    parallel_chunks(penalties.size(), [&](std::size_t i) {
      weights[i] = fit_logistic(design, curvature, classes, outputs, penalties[i], options.tolerance);
    });
    return weights;
  }

  /// Summed over the validation rows.
  double loss(const Design& design, const MatrixXd& weights) const {
    MatrixXd outputs = outputs_of(design, weights);
    if (!labels.has_numbers()) {
      const std::vector<std::int32_t> classes = classes_of(labels, rows.output, rows.validation);
      return outputs.cols() == 1 ? sigmoid_loss(outputs, classes) : softmax_loss(outputs, classes);
    }
    const VectorXd known = targets_of(labels, rows.output, rows.train);
    const double variance = (known.array() - known.mean()).square().mean();
    return (outputs.col(0) - targets_of(labels, rows.output, rows.validation)).squaredNorm() /
           (variance > 0 ? variance : 1);
  }
};

/// Writes the columns of the predictions that belong to the part.
void predict(const Part& part, const Design& all, const MatrixXd& weights, Matrix& predictions) {
  const MatrixXd outputs = outputs_of(all, weights);
  if (part.labels.has_numbers()) {
    predictions.col(part.rows.output) = outputs.col(0).cast<float>();
  } else if (outputs.cols() == 1) {
    const VectorXd positive = 1 / (1 + (-outputs.col(0).array()).exp());
    if (part.labels.has_flags()) {
      predictions.col(part.rows.output) = positive.cast<float>();
    } else {
      predictions.col(1) = positive.cast<float>();
      predictions.col(0) = (1 - positive.array()).matrix().cast<float>();
    }
  } else {
    for (Index row = 0; row < outputs.rows(); ++row) {
      const Eigen::RowVectorXd exponents = (outputs.row(row).array() - outputs.row(row).maxCoeff()).exp();
      predictions.row(row) = (exponents / exponents.sum()).cast<float>();
    }
  }
}

/// Writes the part's columns of LinearBaseline::weights, converting `fitted`, which is for scaled features.
void keep_weights(const Part& part, const Scaling& scaling, const MatrixXd& fitted, MatrixXd& weights) {
  const Index columns = scaling.scale.size();
  MatrixXd unscaled = fitted;
  unscaled.topRows(columns).array().colwise() *= scaling.scale.array();
  unscaled.row(columns) -= scaling.centre.transpose() * unscaled.topRows(columns);
  if (!part.labels.has_classes())
    weights.col(part.rows.output) = unscaled.col(0);
  else
    weights.rightCols(unscaled.cols()) = unscaled;  // with two classes the first has logit 0
}

void check(const std::vector<double>& penalties) {
  if (penalties.empty()) throw UsageError("linear baseline: expected at least one penalty");
  for (const double penalty : penalties)
    if (!(penalty > 0 && std::isfinite(penalty)))
      throw UsageError(fmt::format("linear baseline: expected a penalty above 0, got {}", penalty));
}

/// Index of the lowest loss; ties go to the largest penalty.
std::size_t best_of(const std::vector<double>& losses, const std::vector<double>& penalties) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < losses.size(); ++i)
    if (losses[i] < losses[best] || (losses[i] == losses[best] && penalties[i] > penalties[best])) best = i;
  return best;
}

}  // namespace

LinearBaseline fit_linear_baseline(const data::Features& features, const data::Labels& labels,
                                   std::span<const Node> train, std::span<const Node> validation,
                                   const LinearBaselineOptions& options) {
  check(options.penalties);
  std::vector<Part> parts;
  for (detail::KnownRows& rows : detail::known_rows("linear baseline", features.rows(), labels, train, validation))
    parts.push_back({labels, std::move(rows)});
  std::size_t judged = 0;
  for (const Part& part : parts) judged += part.rows.validation.size();
  if (judged == 0 && options.penalties.size() > 1)
    throw UsageError(
        fmt::format("linear baseline: chooses one of {} penalties by validation items, but none has a label",
                    options.penalties.size()));

  const Scaling scaling = detail::fit_scaling(features, train, options.standardise);
  std::vector<std::vector<MatrixXd>> weights;  // by part and penalty
  std::vector<double> losses(options.penalties.size(), 0);
  for (const Part& part : parts) {
    report_step("fitting a linear model", static_cast<double>(weights.size()), static_cast<double>(parts.size()));
    weights.push_back(part.fit(features, scaling, options));
    const Design design(features, part.rows.validation, scaling);
    for (std::size_t i = 0; i < losses.size(); ++i) losses[i] += part.loss(design, weights.back()[i]);
  }
  const std::size_t best = best_of(losses, options.penalties);

  LinearBaseline result;
  result.penalty = options.penalties[best];
  result.validation_loss =
      judged == 0 ? std::numeric_limits<double>::quiet_NaN() : losses[best] / static_cast<double>(judged);
  std::vector<Node> rows(features.rows());
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = static_cast<Node>(row);
  const Design all(features, rows, scaling);
  result.predictions.resize(static_cast<Index>(rows.size()), static_cast<Index>(labels.names.size()));
  result.weights = MatrixXd::Zero(static_cast<Index>(features.columns()) + 1, result.predictions.cols());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    predict(parts[i], all, weights[i][best], result.predictions);
    keep_weights(parts[i], scaling, weights[i][best], result.weights);
  }
  return result;
}

}  // namespace edgewise::train
