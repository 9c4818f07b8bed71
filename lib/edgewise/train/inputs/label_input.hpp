#pragma once

#include <cstddef>
#include <span>

#include "edgewise/data/node_data.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/graph/graph.hpp"

/// @file
/// Known node labels as features: what a model of the nodes of one graph may see of its neighbours' labels (Shi et al.
/// 2021, "Masked Label Prediction", section 3.2; Wang et al. 2021, "Bag of Tricks for Node Classification with Graph
/// Neural Networks", label usage). In training, loop/label_mask.hpp hides the labels to be predicted.
namespace edgewise::train {

/// Number of columns. Classification: one per class, 1 for the node's own. Multi-label: one per label, 1 for yes, -1
/// for no. Regression: one per target, in deviations from the mean of the training nodes, and one that is 1 if any is
/// known.
std::size_t label_columns(data::Task task, std::size_t labels);

/// Appends `label_columns` columns with the labels of the nodes `known`; 0 for all other nodes and unknown labels.
/// `scaler` is that of the training nodes (regression).
void append_labels(const data::Labels& labels, const data::TargetScaler& scaler, std::span<const graph::Node> known,
                   data::Features& features);

}  // namespace edgewise::train
