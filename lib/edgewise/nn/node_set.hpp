#pragma once

#include <memory>
#include <vector>
#include <string>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

struct NodeSetOptions {
  std::string outer = kNodes;  ///< Whose rows the block gets.
  std::string inner;           ///< Whose rows the inner blocks get.
};

/// Applies blocks to the rows of another node set, such as an encoder whose rows a later block attends to over a mask
/// between the two sets. The block's own rows pass through unchanged, and inner blocks may attend to them.
///
/// Shapes: x [N, F], returned as it is; the rows of the set, [M, C], become those of the last inner block, [M, C'].
class NodeSetBlock : public Block {
 public:
  NodeSetBlock(std::string name, NodeSetOptions options, std::unique_ptr<Block> blocks)
      : name_(std::move(name)), options_(std::move(options)), blocks_(std::move(blocks)) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return blocks_->traits(); }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    blocks_->collect_parameters(parameters);
  }
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override { blocks_->collect_state(state); }

 private:
  std::string name_;
  NodeSetOptions options_;
  std::unique_ptr<Block> blocks_;
};

/// {"type": "node_set", "set": "memory", "blocks": [...]}
std::unique_ptr<Block> make_node_set(const json::Value& config, BuildContext& context);
std::vector<json::FieldDoc> node_set_fields();

}  // namespace edgewise::nn
