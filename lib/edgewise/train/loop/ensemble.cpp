#include "edgewise/train/loop/ensemble.hpp"

#include <algorithm>

namespace edgewise::train {

void Ensemble::add(const Matrix& predictions, const Matrix& deviations) {
  const Eigen::ArrayXXd values = predictions.cast<double>().array();
  if (count_ == 0) {
    mean_ = Eigen::ArrayXXd::Zero(values.rows(), values.cols());
    squares_ = mean_;
  }
  ++count_;
  const Eigen::ArrayXXd difference = values - mean_;
  mean_ += difference / count_;
  squares_ += difference * (values - mean_);
  if (deviations.size() == 0) return;
  if (given_.size() == 0) given_ = Eigen::ArrayXXd::Zero(values.rows(), values.cols());
  given_ += deviations.cast<double>().array().square();
}

Matrix Ensemble::mean() const { return mean_.cast<float>().matrix(); }

Matrix Ensemble::deviation() const {
  if (count_ < 2 && given_.size() == 0) return {};
  Eigen::ArrayXXd variance = squares_ / std::max(count_ - 1, 1);
  if (given_.size() > 0) variance += given_ / count_;
  return variance.sqrt().cast<float>().matrix();
}

}  // namespace edgewise::train
