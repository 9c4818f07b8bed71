#pragma once

#include <memory>
#include <vector>

#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Attention over a mask by any score: gat.hpp, gatv2.hpp and dot_product.hpp have the formulas.
///
///     nn::BuildContext build{.name = "encoder", .seed = 1};
///     nn::Attention attention({.inputs = 64, .heads = 8, .width = 8, .score = attention::Score::gatv2}, build);
///
/// Shapes: queries [N, inputs], keys [M, key_inputs] (the same rows unless the mask connects two node sets), output
/// [N, heads * width] or, averaged, [N, width].
class Attention : public Block {
 public:
  /// Throws UsageError for options that contradict one another or are out of range.
  Attention(const AttentionOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override { return block_->forward(context, input); }
  BlockTraits traits() const override { return block_->traits(); }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    block_->collect_parameters(parameters);
  }

 private:
  std::unique_ptr<Block> block_;
};

}  // namespace edgewise::nn
