#pragma once

#include <span>
#include <string>

#include "edgewise/io/safetensors.hpp"
#include "edgewise/nn/model.hpp"

/// @file
/// Imports weights trained with PyTorch Geometric into an Edgewise model of the same architecture. docs/models.md lists
/// the mapping name by name. Supported are GATConv (also with the names of older versions: att_l and att_r, lin_src,
/// lin_l), GATv2Conv, TransformerConv, GCNConv, and torch's Linear, LayerNorm and BatchNorm1d.
namespace edgewise::nn {

/// A block of ours and the PyG module whose tensors it takes.
struct PygModule {
  std::string block;   ///< "blocks.0"
  std::string prefix;  ///< "conv1": its tensors are named "conv1.att_src" and so on.
};

/// Throws ModelError if a module or block does not exist, a tensor does not have the shape that the block needs, a
/// parameter of the block is missing in the state, or a tensor of the module is not used.
void import_pyg(Model& model, const io::Safetensors& state, std::span<const PygModule> modules);

/// Pairs the blocks that have parameters, in order, with the modules of the state in the order of their names (conv2
/// before conv10). Also throws ModelError if their numbers differ.
void import_pyg(Model& model, const io::Safetensors& state);

}  // namespace edgewise::nn
