#pragma once

#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// Throws UsageError if a mask of the model has more pairs of nodes or of edges, in one graph of `data`, than fit in
/// memory, or if the rows of one of many graphs do not. `frozen` is the graph of the data. Graphs are not searched
/// unless a quick bound is too high.
void check_pairs(const nn::Model& model, const Dataset& data, const graph::FrozenGraph& frozen);

}  // namespace edgewise::train
