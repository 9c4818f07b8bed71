#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace edgewise::train {

/// A model that was tried on one split.
struct Candidate {
  std::string model;
  double validation = 0;  ///< The metric on the validation items; NaN where it is not defined.
  std::int64_t epochs = 0;
  double seconds = 0;
  bool was_dropped = false;  ///< Clearly behind before its training was over.
  bool is_baseline = false;  ///< There is no model of it to be kept.
  bool is_averaged = false;  ///< One of those whose average is kept.
};

/// How a model was chosen on the training and validation items.
struct Choice {
  std::string metric;
  std::vector<Candidate> candidates;  ///< In the order in which they were tried.
  std::string chosen;
  std::string reason;  ///< A plain sentence, or two.
};

}  // namespace edgewise::train
