#pragma once

#include <memory>
#include <vector>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

/// Keeps a node's own features separate from what it gathers: y = [x | block(x)]. This is what GAT-sep is made of
/// (Platonov et al. 2023), which helps if neighbours tend to differ. Use it on a graph without self loops, followed by
/// a linear or feed-forward block.
///
/// Shapes: x [N, C], y [N, C + width of the block]. Needs a dense input.
class ConcatSelf : public Block {
 public:
  ConcatSelf(std::unique_ptr<Block> block, const BuildContext& context)
      : name_(context.name), block_(std::move(block)) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return block_->traits(); }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    block_->collect_parameters(parameters);
  }
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override { block_->collect_state(state); }

 private:
  std::string name_;
  std::unique_ptr<Block> block_;
};

/// {"type": "concat_self", "block": {"type": "gat", ...}}
std::unique_ptr<Block> make_concat_self(const json::Value& config, BuildContext& context);
std::vector<json::FieldDoc> concat_self_fields();

}  // namespace edgewise::nn
