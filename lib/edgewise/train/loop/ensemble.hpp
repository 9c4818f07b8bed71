#pragma once

#include "edgewise/core/matrix.hpp"

namespace edgewise::train {

/// Combines the predictions of several models for the same items: the mean, and how far they disagree (Lakshminarayanan
/// et al. 2017). The deviation is no error bar: it leaves out the error that all models share.
class Ensemble {
 public:
  /// All must have the same shape.
  void add(const Matrix& predictions);
  /// For a single model, its predictions unchanged.
  Matrix mean() const;
  /// Sample standard deviation (divides by models - 1); empty for one model.
  Matrix deviation() const;

 private:
  int count_ = 0;
  Eigen::ArrayXXd mean_;     // Welford 1962
  Eigen::ArrayXXd squares_;  // squared differences from it
};

}  // namespace edgewise::train
