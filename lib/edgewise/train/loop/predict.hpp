#pragma once

#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/loop/batches.hpp"

namespace edgewise::train {

/// What a task makes of a model's outputs [N, C]: probabilities by softmax (classification) or sigmoid (multi-label),
/// values in the user's units (regression).
Matrix to_predictions(data::Task task, ConstMatrixRef outputs, const data::TargetScaler& scaler);

/// Throws NumericalError, naming the first row, when a prediction is not finite: it would be no answer.
void check_finite(const Matrix& predictions);

/// What the model says of every item, without dropout: [items, outputs]. Throws ModelError when the batches do not fit
/// the model, NumericalError when what it says is not finite.
Matrix predict(nn::Model& model, Batches& batches, data::Task task, const data::TargetScaler& scaler);

/// The same for the nodes of one graph. With `attention`, also the weights of each attention layer.
Matrix predict(nn::Model& model, const data::Features& features, const graph::FrozenGraph& graph, data::Task task,
               const data::TargetScaler& scaler, std::vector<nn::AttentionRecord>* attention = nullptr);

/// What the last block of `model` gets, a row for each item: where the model has put it before it names a class.
Matrix embeddings(nn::Model& model, Batches& batches);

}  // namespace edgewise::train
