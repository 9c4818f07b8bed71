#pragma once

#include <memory>
#include <vector>

#include "edgewise/nn/attention_parts.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

struct ResidualOptions {
  int inputs = 0;
  int width = 0;  ///< Columns of the blocks' output.
};

/// y = x + blocks(x), or y = x W + blocks(x) if the blocks change the width. With a normalisation as the first block,
/// this is the pre-norm block of a Transformer (Xiong et al. 2020).
///
/// Shapes: x [N, C], y [N, width of the last block]. Takes sparse input if its first block does and the width changes.
class ResidualBlock : public Block {
 public:
  ResidualBlock(const ResidualOptions& options, std::unique_ptr<Block> blocks, BuildContext& context);

  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return blocks_->traits(); }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override { blocks_->collect_state(state); }

 private:
  std::string name_;
  std::unique_ptr<Block> blocks_;
  Shortcut shortcut_;
};

/// {"type": "residual", "blocks": [{"type": "layer_norm"}, {"type": "gat", ...}]}
std::unique_ptr<Block> make_residual(const json::Value& config, BuildContext& context);
std::vector<json::FieldDoc> residual_fields();

}  // namespace edgewise::nn
