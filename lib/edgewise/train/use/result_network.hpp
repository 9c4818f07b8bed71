#pragma once

#include "edgewise/graph/graph.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/io/result_graph.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// A network with what a model says of it, to open in other programs.
namespace edgewise::train {

/// The names of the nodes of `result_network`.
const graph::NodeNames& names_of_network(const Dataset& data);

/// The network as the user gave it, with predictions for its nodes or its edges as attributes. Of several kinds, nodes
/// are called KIND:NAME and edges have their relation. `data`, which is not frozen, and `predictions` must outlive it.
io::ResultGraph result_network(const Dataset& data, const io::Predictions& predictions);

}  // namespace edgewise::train
