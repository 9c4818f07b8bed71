#include "edgewise/train/linear_baseline.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::train {
namespace {

using data::Task;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using graph::Node;
using SparseMatrixXd = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// Sums of the columns and of their squares over some rows.
struct ColumnSums {
  VectorXd sums, squares;
};

ColumnSums column_sums(const data::Features& features, std::span<const Node> rows, const VectorXd& origin) {
  const auto columns = static_cast<Index>(features.columns());
  ColumnSums result{VectorXd::Zero(columns), VectorXd::Zero(columns)};
  for (const Node row : rows) {
    if (features.is_sparse) {
      for (SparseMatrix::InnerIterator entry(features.sparse, row); entry; ++entry) {
        result.sums[entry.col()] += entry.value();
        result.squares[entry.col()] += static_cast<double>(entry.value()) * entry.value();
      }
    } else {
      const VectorXd values = features.dense.row(row).transpose().cast<double>() - origin;
      result.sums += values;
      result.squares += values.cwiseAbs2();
    }
  }
  return result;
}

/// How columns are moved and scaled: (x - centre) * scale, from the training rows.
struct Scaling {
  VectorXd centre, scale;
};

Scaling fit_scaling(const data::Features& features, std::span<const Node> rows, bool standardise) {
  const auto columns = static_cast<Index>(features.columns());
  const auto count = static_cast<double>(rows.size());
  Scaling scaling{VectorXd::Zero(columns), VectorXd::Ones(columns)};
  ColumnSums sums = column_sums(features, rows, scaling.centre);
  scaling.centre = sums.sums / count;
  if (!standardise) return scaling;
  // Squares about the mean; of sparse columns as the difference, which is exact enough for counts.
  VectorXd variance = sums.squares / count - scaling.centre.cwiseAbs2();
  if (!features.is_sparse) variance = column_sums(features, rows, scaling.centre).squares / count;
  for (Index column = 0; column < columns; ++column) {
    const double deviation = std::sqrt(std::max(variance[column], 0.0));
    if (deviation > 1e-7 * std::abs(scaling.centre[column]) && deviation > 0) scaling.scale[column] = 1 / deviation;
  }
  return scaling;
}

/// Rows of the features after scaling. Of sparse features the centre is kept apart: the product with it is added where
/// it is needed, and nothing becomes dense.
class Design {
 public:
  Design(const data::Features& features, std::span<const Node> rows, const Scaling& scaling)
      : is_sparse_(features.is_sparse), rows_(static_cast<Index>(rows.size())) {
    if (is_sparse_) {
      sparse_.resize(rows_, features.sparse.cols());
      for (Index i = 0; i < rows_; ++i) {
        sparse_.startVec(i);
        for (SparseMatrix::InnerIterator entry(features.sparse, rows[static_cast<std::size_t>(i)]); entry; ++entry)
          sparse_.insertBack(i, entry.col()) = entry.value() * scaling.scale[entry.col()];
      }
      sparse_.finalize();
      centre_ = scaling.centre.cwiseProduct(scaling.scale);
    } else {
      dense_.resize(rows_, features.dense.cols());
      for (Index i = 0; i < rows_; ++i)
        dense_.row(i) = (features.dense.row(rows[static_cast<std::size_t>(i)]).cast<double>() -
                         scaling.centre.transpose()).cwiseProduct(scaling.scale.transpose());
    }
  }

  Index rows() const { return rows_; }
  Index columns() const { return is_sparse_ ? sparse_.cols() : dense_.cols(); }

  /// X w; [rows, outputs].
  MatrixXd times(const MatrixXd& weights) const {
    if (!is_sparse_) return dense_ * weights;
    MatrixXd result = sparse_ * weights;
    result.rowwise() -= (centre_.transpose() * weights).eval().row(0);
    return result;
  }
  /// X^T r; [columns, outputs].
  MatrixXd transpose_times(const MatrixXd& residuals) const {
    if (!is_sparse_) return dense_.transpose() * residuals;
    MatrixXd result = sparse_.transpose() * residuals;
    result -= centre_ * residuals.colwise().sum();
    return result;
  }
  /// X^T X; [columns, columns].
  MatrixXd gram() const {
    if (!is_sparse_) return dense_.transpose() * dense_;
    const MatrixXd product = MatrixXd(sparse_.transpose() * sparse_);
    const VectorXd sums = sparse_.transpose() * VectorXd::Ones(rows_);
    return product - centre_ * sums.transpose() - sums * centre_.transpose() +
           static_cast<double>(rows_) * centre_ * centre_.transpose();
  }
  /// X X^T; [rows, rows].
  MatrixXd kernel() const {
    if (!is_sparse_) return dense_ * dense_.transpose();
    const MatrixXd product = MatrixXd(sparse_ * SparseMatrixXd(sparse_.transpose()));
    const VectorXd along = sparse_ * centre_;
    const VectorXd ones = VectorXd::Ones(rows_);
    return product - along * ones.transpose() - ones * along.transpose() +
           MatrixXd::Constant(rows_, rows_, centre_.squaredNorm());
  }

 private:
  bool is_sparse_;
  Index rows_;
  MatrixXd dense_;
  SparseMatrixXd sparse_;
  VectorXd centre_;
};

/// Weights over the intercepts: [columns + 1, outputs].
MatrixXd stacked(const MatrixXd& weights, const Eigen::RowVectorXd& intercepts) {
  MatrixXd result(weights.rows() + 1, weights.cols());
  result << weights, intercepts;
  return result;
}

MatrixXd outputs_of(const Design& design, const MatrixXd& stacked_weights) {
  MatrixXd outputs = design.times(stacked_weights.topRows(design.columns()));
  outputs.rowwise() += stacked_weights.row(design.columns());
  return outputs;
}

/// Ridge on one target: what the penalties share is made once.
class Ridge {
 public:
  Ridge(const Design& design, const VectorXd& targets)
      : design_(design), mean_(targets.mean()), is_dual_(design.columns() > design.rows()) {
    // Columns are centred over all training rows, not over those where this target is known.
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
    // The residuals add up to 0, and so does what solves the dual system: the means of the columns drop out.
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

/// Value of a function; its gradient is put into the second argument.
using Objective = std::function<double(const VectorXd& point, VectorXd& gradient)>;

/// The product of the inverse Hessian that the last steps tell of with the gradient (Nocedal 1980, two loops).
VectorXd newton_direction(const std::vector<VectorXd>& steps, const std::vector<VectorXd>& changes,
                          const VectorXd& gradient) {
  VectorXd direction = -gradient;
  std::vector<double> along(steps.size());
  for (std::size_t i = steps.size(); i-- > 0;) {
    along[i] = steps[i].dot(direction) / steps[i].dot(changes[i]);
    direction -= along[i] * changes[i];
  }
  if (!steps.empty()) direction *= steps.back().dot(changes.back()) / changes.back().squaredNorm();
  for (std::size_t i = 0; i < steps.size(); ++i)
    direction += (along[i] - changes[i].dot(direction) / steps[i].dot(changes[i])) * steps[i];
  return direction;
}

/// L-BFGS with backtracking, for a smooth convex function; ends when no entry of the gradient is above `tolerance`, or
/// when rounding hides any descent.
VectorXd minimise(const Objective& objective, VectorXd point, double tolerance) {
  constexpr int kIterations = 2000;
  constexpr std::size_t kMemory = 10;
  VectorXd gradient(point.size()), next_gradient(point.size());
  double value = objective(point, gradient);
  std::vector<VectorXd> steps, changes;
  for (int iteration = 0; iteration < kIterations && gradient.cwiseAbs().maxCoeff() > tolerance; ++iteration) {
    const VectorXd direction = newton_direction(steps, changes, gradient);
    const double slope = direction.dot(gradient);
    double length = steps.empty() ? std::min(1.0, 1 / gradient.cwiseAbs().sum()) : 1.0;
    VectorXd next;
    double next_value = value;
    for (;; length /= 2) {
      next = point + length * direction;
      next_value = objective(next, next_gradient);
      if (next_value <= value + 1e-4 * length * slope) break;  // Armijo 1966
      if (!(length > 1e-10)) return point;
    }
    VectorXd step = next - point, change = next_gradient - gradient;
    if (step.dot(change) > 1e-14 * change.squaredNorm()) {
      if (steps.size() == kMemory) {
        steps.erase(steps.begin());
        changes.erase(changes.begin());
      }
      steps.push_back(std::move(step));
      changes.push_back(std::move(change));
    }
    point = std::move(next);
    gradient.swap(next_gradient);
    value = next_value;
  }
  return point;
}

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

/// [columns + 1, outputs]; one output means a sigmoid.
MatrixXd fit_logistic(const Design& design, std::span<const std::int32_t> classes, Index outputs, double penalty) {
  const Index columns = design.columns();
  const auto objective = [&](const VectorXd& point, VectorXd& gradient) {
    const Eigen::Map<const MatrixXd> weights(point.data(), columns + 1, outputs);
    MatrixXd residuals = outputs_of(design, weights);
    const double loss = outputs == 1 ? sigmoid_loss(residuals, classes) : softmax_loss(residuals, classes);
    Eigen::Map<MatrixXd> slopes(gradient.data(), columns + 1, outputs);
    slopes.topRows(columns) = design.transpose_times(residuals) + penalty * weights.topRows(columns);
    slopes.row(columns) = residuals.colwise().sum();
    return loss + penalty / 2 * weights.topRows(columns).squaredNorm();
  };
  const double tolerance = 1e-6 * std::max(1.0, std::sqrt(static_cast<double>(design.rows())));
  const VectorXd point = minimise(objective, VectorXd::Zero((columns + 1) * outputs), tolerance);
  if (!point.allFinite())
    throw NumericalError(fmt::format("linear baseline: logistic regression with the penalty {} left the finite numbers",
                                     penalty));
  return Eigen::Map<const MatrixXd>(point.data(), columns + 1, outputs);
}

/// The rows of `candidates` where an output is known; all its classes for classification.
std::vector<Node> known_rows(const data::Labels& labels, Index output, std::span<const Node> candidates) {
  std::vector<Node> rows;
  for (const Node row : candidates)
    if (labels.task == Task::classification ? labels.classes[row] >= 0 : !std::isnan(labels.targets(row, output)))
      rows.push_back(row);
  return rows;
}

std::vector<std::int32_t> classes_of(const data::Labels& labels, Index output, std::span<const Node> rows) {
  std::vector<std::int32_t> classes;
  for (const Node row : rows)
    classes.push_back(labels.task == Task::classification ? labels.classes[row] : labels.targets(row, output) > 0.5F);
  return classes;
}

VectorXd targets_of(const data::Labels& labels, Index output, std::span<const Node> rows) {
  VectorXd targets(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) targets[static_cast<Index>(i)] = labels.targets(rows[i], output);
  return targets;
}

/// One fit for each penalty: of all classes together, or of one label or target. `whole` is all rows.
struct Part {
  const data::Labels& labels;
  Index output;
  std::vector<Node> train, validation;

  /// Weights of each penalty.
  std::vector<MatrixXd> fit(const data::Features& features, const Scaling& scaling,
                            const std::vector<double>& penalties) const {
    const Design design(features, train, scaling);
    std::vector<MatrixXd> weights(penalties.size());
    if (labels.task == Task::regression) {
      const Ridge ridge(design, targets_of(labels, output, train));
      parallel_chunks(penalties.size(), [&](std::size_t i) { weights[i] = ridge.fit(penalties[i]); });
      return weights;
    }
    const std::vector<std::int32_t> classes = classes_of(labels, output, train);
    const bool is_binary = labels.task == Task::multilabel || labels.names.size() == 2;
    const Index outputs = is_binary ? 1 : static_cast<Index>(labels.names.size());
    parallel_chunks(penalties.size(),
                    [&](std::size_t i) { weights[i] = fit_logistic(design, classes, outputs, penalties[i]); });
    return weights;
  }

  /// Summed over the validation rows.
  double loss(const Design& design, const MatrixXd& weights) const {
    MatrixXd outputs = outputs_of(design, weights);
    if (labels.task != Task::regression) {
      const std::vector<std::int32_t> classes = classes_of(labels, output, validation);
      return outputs.cols() == 1 ? sigmoid_loss(outputs, classes) : softmax_loss(outputs, classes);
    }
    const VectorXd known = targets_of(labels, output, train);
    const double variance = (known.array() - known.mean()).square().mean();
    return (outputs.col(0) - targets_of(labels, output, validation)).squaredNorm() / (variance > 0 ? variance : 1);
  }
};

/// Columns of the predictions that the part gives.
void predict(const Part& part, const Design& all, const MatrixXd& weights, Matrix& predictions) {
  const MatrixXd outputs = outputs_of(all, weights);
  if (part.labels.task == Task::regression) {
    predictions.col(part.output) = outputs.col(0).cast<float>();
  } else if (outputs.cols() == 1) {
    const VectorXd positive = 1 / (1 + (-outputs.col(0).array()).exp());
    if (part.labels.task == Task::multilabel) {
      predictions.col(part.output) = positive.cast<float>();
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

void check(const data::Features& features, const data::Labels& labels, std::span<const Node> train,
           std::span<const Node> validation, const std::vector<double>& penalties) {
  const std::size_t labelled = labels.task == Task::classification ? labels.classes.size()
                                                                   : static_cast<std::size_t>(labels.targets.rows());
  if (labelled != features.rows())
    throw UsageError(fmt::format("linear baseline: {} rows of features, but {} of labels", features.rows(), labelled));
  for (const std::span<const Node> rows : {train, validation})
    for (const Node row : rows)
      if (row >= features.rows())
        throw UsageError(fmt::format("linear baseline: row {}, but there are {}", row, features.rows()));
  if (penalties.empty()) throw UsageError("linear baseline: expected at least one penalty");
  for (const double penalty : penalties)
    if (!(penalty > 0 && std::isfinite(penalty)))
      throw UsageError(fmt::format("linear baseline: expected a penalty above 0, got {}", penalty));
}

std::vector<Part> parts_of(const data::Labels& labels, std::span<const Node> train, std::span<const Node> validation) {
  const Index parts = labels.task == Task::classification ? 1 : labels.targets.cols();
  std::vector<Part> result;
  for (Index output = 0; output < parts; ++output) {
    result.push_back({labels, output, known_rows(labels, output, train), known_rows(labels, output, validation)});
    if (result.back().train.empty())
      throw DataError(fmt::format("linear baseline: no training row has a value of \"{}\"",
                                  labels.task == Task::classification
                                      ? "the class"
                                      : labels.names[static_cast<std::size_t>(output)]));
  }
  return result;
}

/// The place of the least loss; of equal ones that of the largest penalty.
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
  check(features, labels, train, validation, options.penalties);
  const std::vector<Part> parts = parts_of(labels, train, validation);
  std::size_t judged = 0;
  for (const Part& part : parts) judged += part.validation.size();
  if (judged == 0 && options.penalties.size() > 1)
    throw UsageError(fmt::format("linear baseline: {} penalties to choose from, but no validation row has a label",
                                 options.penalties.size()));

  const Scaling scaling = fit_scaling(features, train, options.standardise);
  std::vector<std::vector<MatrixXd>> weights;  // of each part and penalty
  std::vector<double> losses(options.penalties.size(), 0);
  for (const Part& part : parts) {
    weights.push_back(part.fit(features, scaling, options.penalties));
    const Design design(features, part.validation, scaling);
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
  for (std::size_t i = 0; i < parts.size(); ++i) predict(parts[i], all, weights[i][best], result.predictions);
  return result;
}

}  // namespace edgewise::train
