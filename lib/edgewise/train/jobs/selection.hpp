#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/train/jobs/model_input.hpp"

/// @file
/// What a model says of some nodes of a graph, at the cost of what they see of it.
namespace edgewise::train {

/// Predictions of some nodes, row i of the i-th, and what comes with them.
struct SelectedPredictions {
  Matrix values;
  Matrix deviations;      ///< Of an average or an ensemble; else empty.
  Matrix embeddings;      ///< When asked for.
  std::size_t nodes = 0;  ///< That were computed.
};

/// The same bits as a pass over all nodes gives: the neighbourhood is as deep as the model's layers look (nn::reach);
/// of a model that looks at all nodes it is the whole graph. `inputs` are those of all nodes (`make_inputs`), in the
/// user's order. TrainedModel::refinement is not applied. The embeddings are of the first kind of model.
/// Throws as `predict` does, UsageError for a node that there is not.
SelectedPredictions predict_selection(TrainedModel& trained, std::span<const ModelInput> inputs,
                                      std::span<const graph::Node> selected, bool with_embeddings = false);

/// Names of nodes from a file: its column "id", "node", "node_id" or "name", or else the first; a first line that is no
/// node is taken as a header. Throws DataError naming file and line for another node.
std::vector<graph::Node> read_selection(const std::string& path, const graph::NodeNames& names);

}  // namespace edgewise::train
