#pragma once

#include <span>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/loop/batches.hpp"

namespace edgewise::train {

/// Target::predictions, of outputs that there are.
Matrix to_predictions(const data::Task& task, ConstMatrixRef outputs, const data::TargetScaler& scaler);

/// Throws NumericalError, naming the first row, if a prediction is not finite.
void check_finite(const Matrix& predictions);

/// The model's predictions for every item, without dropout, and Target::clamp_predictions: [items, outputs];
/// NaN for items that are not among Batches::items_to_predict. Throws ModelError if the batches do not fit the model,
/// NumericalError if a prediction is not finite. `deviations` becomes those that the model gives with its values, in
/// the user's units; empty if it gives none.
Matrix predict(nn::Model& model, Batches& batches, const data::Task& task, const data::TargetScaler& scaler,
               Matrix* deviations = nullptr);

/// The same for the nodes of one graph. With `attention`, also returns the weights of each attention layer.
Matrix predict(nn::Model& model, const data::Features& features, const graph::FrozenGraph& graph,
               const data::Task& task, const data::TargetScaler& scaler,
               std::vector<nn::AttentionRecord>* attention = nullptr);

/// The input of the last block of `model`, one row per item: its embedding before the final classification.
Matrix embeddings(nn::Model& model, Batches& batches);
/// The same for ascending `items`: row i is that of items[i].
Matrix embeddings(nn::Model& model, Batches& batches, std::span<const graph::Node> items);

}  // namespace edgewise::train
