#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "edgewise/train/use/model_data.hpp"

/// @file
/// Whether explanations name what matters: how far predictions move when the parts they name are deleted together.
namespace edgewise::train {

/// Of one way to choose a tenth of the parts of each item.
struct Faithfulness {
  std::string by;   ///< "deletion", "attention", "random".
  double change = 0;  ///< Mean of how far the answer falls (classes, labels), or moves (numbers).
};

struct FaithfulnessResult {
  std::size_t items = 0;
  double parts = 0;                ///< Mean number of parts of an item.
  std::vector<Faithfulness> ways;  ///< Without attention if the model has none.
};

/// Of each item, deletes a tenth of the nodes of its graph (rounded up), or of its neighbours if it is a node: those
/// with the largest effects (effects_of; of numbers, in size), those that get the most attention, and random ones (the
/// mean of ten draws). The answer is that of `effects_of`. Items with fewer than three such parts are skipped. Throws
/// as `effects_of`.
FaithfulnessResult faithfulness(ModelData& loaded, std::span<const graph::Node> items);

}  // namespace edgewise::train
