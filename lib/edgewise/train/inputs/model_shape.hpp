#pragma once

#include "edgewise/core/json.hpp"
#include "edgewise/core/standard_scale.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/config/model_config.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// What data says about the model for it.
namespace edgewise::train {

/// How the weights of the edges, of which there are some, become a feature.
StandardScale scale_of_weights(const Dataset& data);

/// The shape of a model for `data`. `descriptors` are those of DescriptorMap, `link_numbers` the columns of LinkMap.
nn::ModelShape shape_of(const Dataset& data, const data::Features& features, const graph::FrozenGraph& frozen,
                        const Matrix& descriptors, Eigen::Index link_numbers = 0);

/// Completes `model` with what the data determines, unless the configuration says otherwise: windows and convolutions
/// use the grid if there is one, graphs are read out ("readout": "mean"), the molecules of a row one by one
/// ("components"), nodes with few dense columns of `features` keep all of them in training ("input_dropout": 0, unless
/// there is a "dropout"), and edge weights, if any, become an edge feature ("graph": {"weight_as_feature": false}
/// prevents it), scaled unless a block uses the weights themselves.
json::Value complete_model(const ModelConfig& model, const Dataset& data, const data::Features& features);

/// The blocks that are built for `model`: completed and expanded, for pretraining without the readout.
json::Value blocks_for(const ModelConfig& model, const Dataset& data, const data::Features& features);

}  // namespace edgewise::train
