#pragma once

#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/model.hpp"

namespace edgewise::train {

/// What a task makes of a model's outputs [N, C]: probabilities by softmax (classification) or sigmoid (multi-label),
/// values in the user's units (regression).
Matrix to_predictions(data::Task task, ConstMatrixRef outputs, const data::TargetScaler& scaler);

/// One forward pass without dropout, and its predictions: [nodes, outputs]. With `attention`, also the weights of each
/// attention layer. Throws ModelError when the features or the graph do not have the widths the model is made for.
Matrix predict(nn::Model& model, const data::Features& features, const graph::FrozenGraph& graph, data::Task task,
               const data::TargetScaler& scaler, std::vector<nn::AttentionRecord>* attention = nullptr);

/// Throws ModelError naming what does not fit: feature columns, edge feature columns, number of nodes.
void check_fits(const nn::Model& model, const data::Features& features, const graph::FrozenGraph& graph);

}  // namespace edgewise::train
