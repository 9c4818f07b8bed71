#pragma once

namespace edgewise::train {

enum class Propagation {
  /// Zhu, Ghahramani 2002: F <- D^-1 A F, with the training rows reset to their labels after every step.
  clamped,
  /// Zhou et al. 2004, local and global consistency: F <- alpha D^-1/2 A D^-1/2 F + (1 - alpha) Y.
  spreading,
};

struct LabelPropagationOptions {
  Propagation rule = Propagation::spreading;
  double alpha = 0.9;       ///< For `spreading`: the share taken from the neighbours, in [0, 1).
  int iterations = 100;     ///< Maximum.
  double tolerance = 1e-5;  ///< Stops once no entry of F changes by more than this.
  bool use_weights = true;  ///< A holds the edge weights if there are any, else 1.
};

}  // namespace edgewise::train
