#pragma once

#include <span>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"

namespace edgewise::train {

struct LinearBaselineOptions {
  /// Penalties to choose from, each above 0.
  std::vector<double> penalties = {1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4};
  /// Divides each column by its deviation over the training rows, so that the penalty affects all columns equally.
  bool standardise = true;
  /// Logistic regression stops once no entry of the gradient exceeds this times the square root of the number of rows.
  double tolerance = 1e-6;
};

struct LinearBaseline {
  /// For all rows, [rows, outputs], as from `to_predictions`: probabilities, or values in the user's units.
  Matrix predictions;
  /// [columns + 1, outputs]: the raw features times all rows but the last, plus the last, give values or logits; the
  /// softmax of the logits (sigmoids for several labels) gives the predictions.
  Eigen::MatrixXd weights;
  double penalty = 0;          ///< The chosen penalty.
  double validation_loss = 0;  ///< Its validation loss; NaN if there was nothing to choose.
};

/// A linear model on `features` [rows, columns], dense or sparse, which uses no graph:
/// - regression: ridge (Hoerl and Kennard 1970), sum (y - x w - b)^2 + penalty |w|^2, each target separately over the
///   rows where it is known, in closed form; in the dual form if there are fewer rows than columns;
/// - classification: sum of -log p(class) + penalty / 2 |w|^2, with a sigmoid for two classes and a softmax for more;
/// - multi-label: the same with a sigmoid for each label separately, over the rows where it is known.
///
/// Classification and multi-label use L-BFGS (Liu and Nocedal 1989). The intercept b is not penalised. Without
/// `standardise` these are scikit-learn's Ridge(alpha = penalty) and LogisticRegression(C = 1 / penalty).
///
/// Fits on the `train` rows that have a label. From `options.penalties` it selects the one with the lowest loss over
/// the known labels of the `validation` rows (squared error in units of each target's training variance; -log p), the
/// strongest in case of a tie. Everything is in double; bitwise identical at any number of threads, which work on
/// different penalties. Throws UsageError if rows and labels differ in number, a row is out of range, there is no
/// penalty or one that is not above 0, or there are several penalties and no validation row with a label; DataError if
/// an output has no known training label; NumericalError if a fit becomes non-finite.
///
/// Ridge: O(rows * columns * m) once and O(m^3) per penalty, with m = min(rows, columns) and m^2 doubles per penalty.
/// Logistic regression: O(non-zeros * outputs) per iteration.
LinearBaseline fit_linear_baseline(const data::Features& features, const data::Labels& labels,
                                   std::span<const graph::Node> train, std::span<const graph::Node> validation,
                                   const LinearBaselineOptions& options = {});

}  // namespace edgewise::train
