#pragma once

#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/loop/batches.hpp"

namespace edgewise::train {

/// Converts a model's outputs [N, C] to predictions: probabilities by softmax (classification) or sigmoid
/// (multi-label), values in the user's units (regression; of outputs with variances the left half).
Matrix to_predictions(data::Task task, ConstMatrixRef outputs, const data::TargetScaler& scaler);

/// Probabilities that are 0 or 1 only because a float holds nothing in between become the nearest that it does hold: no
/// evidence is without limit. A single class stays at 1, and values as they are.
void keep_open(data::Task task, Matrix& predictions);

/// Throws NumericalError, naming the first row, if a prediction is not finite.
void check_finite(const Matrix& predictions);

/// The model's predictions for every item, without dropout, `keep_open`: [items, outputs]. Throws ModelError if the
/// batches do not fit the model, NumericalError if a prediction is not finite. `deviations` becomes those that the
/// model gives with its values, in the user's units; empty if it gives none.
Matrix predict(nn::Model& model, Batches& batches, data::Task task, const data::TargetScaler& scaler,
               Matrix* deviations = nullptr);

/// The same for the nodes of one graph. With `attention`, also returns the weights of each attention layer.
Matrix predict(nn::Model& model, const data::Features& features, const graph::FrozenGraph& graph, data::Task task,
               const data::TargetScaler& scaler, std::vector<nn::AttentionRecord>* attention = nullptr);

/// The input of the last block of `model`, one row per item: its embedding before the final classification.
Matrix embeddings(nn::Model& model, Batches& batches);

}  // namespace edgewise::train
