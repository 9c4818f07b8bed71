#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/train/baselines/propagation_options.hpp"

namespace edgewise::train {

/// The baseline that uses only edges and training labels: class probabilities [nodes, classes], rows sum to 1. Edges
/// count in both directions; self loops are ignored. A node not reached by any training label gets the class
/// frequencies of the training nodes; without edges these are all nodes except the training nodes. Bitwise identical at
/// any number of threads. Throws UsageError for a task other than classification or options out of range, DataError for
/// a negative weight and if no training node has a label.
Matrix label_propagation(const graph::Graph& graph, const data::Labels& labels, const data::Split& split,
                         const LabelPropagationOptions& options = {});

}  // namespace edgewise::train
