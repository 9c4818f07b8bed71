#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::train {

enum class Propagation {
  /// Zhu, Ghahramani 2002: F <- D^-1 A F, the training rows set back to their labels after every step.
  clamped,
  /// Zhou et al. 2004, local and global consistency: F <- alpha D^-1/2 A D^-1/2 F + (1 - alpha) Y.
  spreading,
};

struct LabelPropagationOptions {
  Propagation rule = Propagation::spreading;
  double alpha = 0.9;       ///< Of `spreading`: the share that comes from the neighbours, in [0, 1).
  int iterations = 100;     ///< At most.
  double tolerance = 1e-5;  ///< Stops when no entry of F has changed by more.
  bool use_weights = true;  ///< A is the edge weight where there is one, else 1.
};

/// The baseline that looks at edges and training labels only: class probabilities [nodes, classes], rows sum to 1.
/// Ties count in both directions; self loops do not count. A node that no training label reaches gets the class
/// frequencies of the training nodes. Without edges that is every node but the training ones. Same bits at any number
/// of threads. Throws UsageError for another task than classification or options out of range, DataError for a negative
/// weight and when no training node has a label.
Matrix label_propagation(const graph::Graph& graph, const data::Labels& labels, const data::Split& split,
                         const LabelPropagationOptions& options = {});

}  // namespace edgewise::train
