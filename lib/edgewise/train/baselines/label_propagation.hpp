#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"

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

/// The baseline that uses only edges and training labels: class probabilities [nodes, classes], rows sum to 1. Edges
/// count in both directions; self loops are ignored. A node not reached by any training label gets the class
/// frequencies of the training nodes; without edges these are all nodes except the training nodes. Bitwise identical at
/// any number of threads. Throws UsageError for a task other than classification or options out of range, DataError for
/// a negative weight and if no training node has a label.
Matrix label_propagation(const graph::Graph& graph, const data::Labels& labels, const data::Split& split,
                         const LabelPropagationOptions& options = {});

}  // namespace edgewise::train
