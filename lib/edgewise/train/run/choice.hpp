#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace edgewise::train {

/// A model tried on one split.
struct Candidate {
  std::string model;
  double validation = 0;  ///< Metric on the validation items; NaN if undefined.
  std::int64_t epochs = 0;
  double seconds = 0;
  bool was_dropped = false;  ///< Given up early because it was clearly behind.
  bool is_baseline = false;  ///< It leaves no model to keep.
  bool is_averaged = false;  ///< It is part of the average that is kept.
};

/// How a model was selected on the training and validation items.
struct Choice {
  std::string metric;
  std::vector<Candidate> candidates;  ///< In the order tried.
  std::string chosen;
  std::string reason;  ///< One or two plain sentences.
};

}  // namespace edgewise::train
