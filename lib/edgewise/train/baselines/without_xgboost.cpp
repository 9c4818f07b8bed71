/// @file
/// Trees in a build without XGBoost: those of a model file can be used, but none can be grown.
#include "edgewise/core/error.hpp"
#include "edgewise/train/baselines/boosted_trees.hpp"

namespace edgewise::train {

TreeMap fit_boosted_trees(const SparseMatrix&, const data::Labels&, std::span<const graph::Node>,
                          std::span<const graph::Node>, const BoostedTreesOptions&) {
  throw UsageError("boosted trees need XGBoost, without which this copy of Edgewise was built");
}

}  // namespace edgewise::train
