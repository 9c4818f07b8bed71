#include "edgewise/train/baselines/constant_prediction.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace edgewise::train {
namespace {

/// A mean of values that become known one by one.
struct Mean {
  double sum = 0;
  double count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  float value() const {
    return count == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(sum / count);
  }
};

}  // namespace

Matrix constant_prediction(const data::Labels& labels, std::span<const graph::Node> from) {
  const bool has_classes = labels.has_classes();
  const auto names = static_cast<Eigen::Index>(labels.names.size());
  std::vector<Mean> means(labels.names.size());
  for (const graph::Node item : from)
    for (Eigen::Index i = 0; i < names; ++i) {
      Mean& mean = means[static_cast<std::size_t>(i)];
      if (has_classes && labels.classes[item] >= 0) mean.add(labels.classes[item] == i ? 1 : 0);
      if (!has_classes && !std::isnan(labels.targets(item, i))) mean.add(labels.targets(item, i));
    }
  const auto items = has_classes ? static_cast<Eigen::Index>(labels.classes.size()) : labels.targets.rows();
  Matrix predictions(items, names);
  for (Eigen::Index i = 0; i < names; ++i)
    predictions.col(i).setConstant(means[static_cast<std::size_t>(i)].value());
  return predictions;
}

}  // namespace edgewise::train
