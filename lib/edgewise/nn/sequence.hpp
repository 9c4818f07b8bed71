#pragma once

#include <memory>
#include <vector>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Blocks one after the other, each on the output of the previous one.
class Sequence : public Block {
 public:
  explicit Sequence(std::vector<std::unique_ptr<Block>> blocks) : blocks_(std::move(blocks)) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  /// The blocks from `begin` on, before `end`.
  NodeRows forward(ForwardContext& context, const NodeRows& input, std::size_t begin, std::size_t end);
  std::size_t size() const { return blocks_.size(); }
  /// Stores the input rows of the last block in `before_last`. Throws UsageError if these are the sparse input.
  NodeRows forward(ForwardContext& context, const NodeRows& input, Matrix& before_last);
  BlockTraits traits() const override { return traits(0, blocks_.size()); }
  /// Of the blocks from `begin` on, before `end`.
  BlockTraits traits(std::size_t begin, std::size_t end) const;
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override;

 private:
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace edgewise::nn
