#pragma once

#include <span>
#include <string>

#include "edgewise/io/safetensors.hpp"
#include "edgewise/nn/model.hpp"

/// @file
/// Weights trained with PyTorch Geometric, into a model of ours of the same architecture. docs/models.md has the
/// mapping name by name. Known are GATConv (also with the names of older versions: att_l and att_r, lin_src, lin_l),
/// GATv2Conv, TransformerConv, GCNConv, and torch's Linear, LayerNorm and BatchNorm1d.
namespace edgewise::nn {

/// Which of our blocks takes the tensors of which PyG module.
struct PygModule {
  std::string block;   ///< "blocks.0"
  std::string prefix;  ///< "conv1": its tensors are named "conv1.att_src" and so on.
};

/// Throws ModelError when a module or block is not there, a tensor has another shape than the block asks for, a
/// parameter of the block is not in the state, or a tensor of the module is not used.
void import_pyg(Model& model, const io::Safetensors& state, std::span<const PygModule> modules);

/// Pairs the blocks that have parameters, in order, with the modules of the state in the order of their names (conv2
/// before conv10). Throws ModelError also when their numbers differ.
void import_pyg(Model& model, const io::Safetensors& state);

}  // namespace edgewise::nn
