#pragma once

#include "edgewise/core/matrix.hpp"

namespace edgewise::train {

/// What several models say of the same items: the mean, and the spread between them as a measure of how sure they are
/// (Lakshminarayanan et al. 2017).
class Ensemble {
 public:
  /// All of one shape.
  void add(const Matrix& predictions);
  /// The only one itself when there is one.
  Matrix mean() const;
  /// Sample standard deviation (divides by models - 1); empty for one model.
  Matrix deviation() const;

 private:
  int count_ = 0;
  Eigen::ArrayXXd mean_;     // Welford 1962
  Eigen::ArrayXXd squares_;  // of the differences from it
};

}  // namespace edgewise::train
