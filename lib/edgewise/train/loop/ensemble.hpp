#pragma once

#include "edgewise/core/matrix.hpp"

namespace edgewise::train {

/// Combines the predictions of several models for the same items: the mean, and how far they disagree (Lakshminarayanan
/// et al. 2017). The deviation is no error bar: it leaves out the error that all models share, unless they give
/// variances.
class Ensemble {
 public:
  /// All must have the same shape. `deviations` are those that the model gives itself, or empty.
  void add(const Matrix& predictions, const Matrix& deviations = {});
  /// For a single model, its predictions unchanged.
  Matrix mean() const;
  /// Of the mixture of the models: the square root of their sample variance (divides by models - 1) and the mean of the
  /// variances that they give. Empty for one model that gives none.
  Matrix deviation() const;

 private:
  int count_ = 0;
  Eigen::ArrayXXd mean_;     // Welford 1962
  Eigen::ArrayXXd squares_;  // squared differences from it
  Eigen::ArrayXXd given_;    // the sum of the variances that the models give; empty if none does
};

}  // namespace edgewise::train
