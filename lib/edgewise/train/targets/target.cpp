#include "edgewise/train/targets/target.hpp"

namespace edgewise::train {

double Target::measure(std::string_view metric, const data::Labels& labels, ConstMatrixRef outputs,
                       const data::TargetScaler& scaler, std::span<const graph::Node> items) const {
  return train::metric(evaluate(labels, predictions(outputs, scaler), items, scaler.deviation()), metric);
}

}  // namespace edgewise::train
