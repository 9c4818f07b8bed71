#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"

/// @file
/// How far predictions are to be trusted, learnt from the validation items: probabilities that come true as often as
/// they say, deviations of the right size, and sets and intervals that hold a wanted share of the truths.
namespace edgewise::train {

/// Below this number of known items, uncertainty inputs say nothing.
inline constexpr std::size_t kFewestForUncertainty = 30;

/// What may be the truth, at some level.
struct Intervals {
  /// Classification: [items, classes] of 0 and 1. Multi-label: [items, 2 * labels], whether the label may be absent and
  /// whether it may be present. Empty for regression.
  Matrix sets;
  Matrix lower, upper;  ///< Regression: [items, targets].
};

class Calibration {
 public:
  /// Of no help: predictions stay as they are, and there are no intervals.
  Calibration() = default;

  /// Fits to the labelled items among `validation`. `predictions` [items, labels] are probabilities or values;
  /// `deviations` their spread over several models, or empty; `uncertainty_inputs` [items, any], or empty:
  /// other numbers of at least 0 that may be larger where predictions are worse.
  /// - Classification and multi-label: a temperature T for all classes or each label, the logits being divided by T,
  ///   that minimises the log loss (Guo et al., "On Calibration of Modern Neural Networks", ICML 2017); 1 unless the
  ///   total log loss falls by more than a parameter may gain by chance. The order of the classes of an item never
  ///   changes.
  /// - Regression: deviations become the square root of a variance c_0 + c_1 u^2 + c_2 d_1^2 + ..., with the spread u
  ///   (if there is one) and the item's uncertainty inputs d, and the c of at least 0 with the largest Gaussian
  ///   likelihood, c_0 at least a hundredth of the mean squared error. Uncertainty inputs alone make deviations if at
  ///   least kFewestForUncertainty items are known.
  /// - Split conformal scores (Lei et al., "Distribution-Free Predictive Inference for Regression", JASA 2018; Sadinle
  ///   et al., "Least Ambiguous Set-Valued Classifiers", JASA 2019): the distance of the truth from 1, or from the
  ///   value in deviations. Each class has its own scores if it has enough of them (Vovk, "Conditional Validity",
  ///   2012).
  static Calibration fit(const data::Labels& labels, const Matrix& predictions, const Matrix& deviations,
                         std::span<const graph::Node> validation, const Matrix& uncertainty_inputs = {});

  bool is_empty() const { return items_ == 0; }
  /// The validation items it was fitted to.
  std::size_t items() const { return items_; }

  bool changes_predictions() const;
  /// Calibrates predictions, and deviations if there are any or uncertainty inputs make them. NaN stays NaN.
  void apply(Matrix& predictions, Matrix* deviations, const Matrix& uncertainty_inputs = {}) const;

  /// Whether there were enough validation items for this level.
  bool can_give(double level) const;
  /// Throws UsageError for a level outside of (0, 1), and for one that needs more validation items than there were.
  void check_level(double level) const;

  /// Sets or intervals that hold the share `level` of truths, for calibrated predictions and deviations of items like
  /// those that it was fitted to. A set always has the most probable class. Throws as `check_level`.
  Intervals intervals(const Matrix& predictions, const Matrix& deviations, double level) const;

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json` for this task and this number of labels.
  static Calibration from_json(const json::Value& value, const data::Task& task, std::size_t labels);

 private:
  const std::vector<float>& scores_of(std::size_t label) const {
    return scores_.size() == 1 ? scores_[0] : scores_[label];
  }
  void fit_temperatures(const data::Labels& labels, const Matrix& predictions, std::span<const graph::Node> items);
  void fit_variances(const data::Labels& labels, const Matrix& predictions, const Matrix& deviations,
                     const Matrix& uncertainty_inputs, std::span<const graph::Node> items);
  void fit_scores(const data::Labels& labels, const Matrix& predictions, const Matrix& deviations,
                  std::span<const graph::Node> items);

  data::Task task_ = data::Task::classification;
  std::size_t items_ = 0;
  std::vector<double> temperatures_;        ///< One, or one per label.
  bool has_spread_ = false;                    ///< Whether c_1 is that of the spread.
  std::vector<std::vector<double>> variances_;  ///< c_0, c_1, ... of each target; empty without deviations.
  std::vector<std::vector<float>> scores_;  ///< Ascending: of all items, or of each class, label or target.
};

/// How good sets or intervals are.
struct Coverage {
  double share = 0;  ///< Of the truths that they hold.
  double size = 0;   ///< Mean number of classes of a set, or mean width of an interval.
};

/// One for classification, else one per label or target; NaN where no truth is known.
std::vector<Coverage> coverage(const data::Labels& labels, const Intervals& intervals,
                               std::span<const graph::Node> items);

/// Spearman's rank correlation of the deviations and the absolute errors of a target. NaN if either is constant.
double error_correlation(const data::Labels& labels, const Matrix& predictions, const Matrix& deviations,
                         std::span<const graph::Node> items, Eigen::Index target);

}  // namespace edgewise::train
