#pragma once

#include <span>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"

namespace edgewise::train {

struct LinearBaselineOptions {
  /// Strengths of the penalty to choose from, each above 0.
  std::vector<double> penalties = {1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4};
  /// Divides each column by its deviation over the training rows, so that the penalty means the same for all of them.
  bool standardise = true;
  /// Logistic regression ends where no entry of the gradient is above this times the root of the rows.
  double tolerance = 1e-6;
};

struct LinearBaseline {
  /// Of all rows, [rows, outputs], as `to_predictions` gives them: probabilities, or values in the user's units.
  Matrix predictions;
  /// [columns + 1, outputs]: features as they come, times all rows but the last, plus the last, are values, or logits
  /// whose softmax (of several labels: sigmoids) are the predictions.
  Eigen::MatrixXd weights;
  double penalty = 0;          ///< The one that was chosen.
  double validation_loss = 0;  ///< Of that one; NaN when there was nothing to choose.
};

/// A linear model on `features` [rows, columns], dense or sparse, without a look at any graph:
/// - regression: ridge (Hoerl and Kennard 1970), sum (y - x w - b)^2 + penalty |w|^2 for each target by itself over the
///   rows where it is known, in closed form; the dual one when there are fewer rows than columns.
/// - classification: sum of -log p(class) + penalty / 2 |w|^2, with a sigmoid for two classes and a softmax for more;
/// - multi-label: the same with a sigmoid for each label by itself, over the rows where it is known. Both by L-BFGS
///   (Liu and Nocedal 1989).
/// The intercept b is not penalised. With `standardise` off these are scikit-learn's Ridge(alpha = penalty) and
/// LogisticRegression(C = 1 / penalty).
///
/// Fits on the `train` rows that have a label. Of `options.penalties` the one is taken that has the least loss over the
/// known labels of the `validation` rows (squares in units of each target's training variance; -log p), the strongest
/// of equals. All in double; the same bits at any number of threads, which share the penalties out among them. Throws
/// UsageError when rows and labels differ in number, a row is out of range, there is no penalty or one that is not
/// above 0, or there are several and no validation row with a label; DataError when an output has no known training
/// label; NumericalError when a fit leaves the finite numbers.
/// Ridge: O(rows * columns * m) once and O(m^3) a penalty with m = min(rows, columns), in m^2 doubles a penalty.
/// Logistic regression: O(non-zeros * outputs) an iteration.
LinearBaseline fit_linear_baseline(const data::Features& features, const data::Labels& labels,
                                   std::span<const graph::Node> train, std::span<const graph::Node> validation,
                                   const LinearBaselineOptions& options = {});

}  // namespace edgewise::train
