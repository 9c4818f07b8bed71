#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/model/model_input.hpp"

/// @file
/// Predictions for some nodes of a graph, at the cost of their neighbourhood only.
namespace edgewise::train {

/// Predictions for selected nodes, row i for the i-th.
struct SelectedPredictions {
  Matrix values;
  Matrix deviations;      ///< For an average or an ensemble; else empty.
  Matrix embeddings;      ///< If requested.
  std::size_t nodes = 0;  ///< Number of nodes computed.
};

/// Bitwise identical to a pass over all nodes: the neighbourhood is as deep as the model's receptive field
/// (Model::reach). For a model that uses all nodes it is the whole graph, of many graphs those of the selected nodes.
/// `inputs` are those of all nodes (`make_inputs`), in the user's order; `layout` tells their graphs apart.
/// TrainedModel::refinement is not applied. The embeddings are those of the first kind of model. Throws as `predict`
/// does, UsageError for a node that does not exist.
SelectedPredictions predict_selection(TrainedModel& trained, std::span<const ModelInput> inputs,
                                      const GraphLayout& layout, std::span<const graph::Node> selected,
                                      bool with_embeddings = false);

/// The same for a frozen network, of which it reads the features of the neighbourhood, where they are in the file.
/// Throws ModelError for a model that does not see the network along its edges alone, or as PartBatches::check_fits
/// does.
SelectedPredictions predict_selection(TrainedModel& trained, std::shared_ptr<const data::FrozenNetwork> network,
                                      std::span<const graph::Node> selected, bool with_embeddings = false);

/// Reads node names from a file: its column "id", "node", "node_id" or "name", or else the first. Of several columns,
/// a first line that does not begin with a node is a header. Throws DataError with file and line for an unknown node,
/// and for several columns without a header.
std::vector<graph::Node> read_selection(const std::string& path, const graph::NodeNames& names);

}  // namespace edgewise::train
