#include "edgewise/train/loop/ensemble.hpp"

namespace edgewise::train {

void Ensemble::add(const Matrix& predictions) {
  const Eigen::ArrayXXd values = predictions.cast<double>().array();
  if (count_ == 0) {
    mean_ = Eigen::ArrayXXd::Zero(values.rows(), values.cols());
    squares_ = mean_;
  }
  ++count_;
  const Eigen::ArrayXXd difference = values - mean_;
  mean_ += difference / count_;
  squares_ += difference * (values - mean_);
}

Matrix Ensemble::mean() const { return mean_.cast<float>().matrix(); }

Matrix Ensemble::deviation() const {
  if (count_ < 2) return {};
  return (squares_ / (count_ - 1)).sqrt().cast<float>().matrix();
}

}  // namespace edgewise::train
