#pragma once

#include <memory>
#include <vector>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Blocks one after the other, each on the rows that the one before it gave.
class Sequence : public Block {
 public:
  explicit Sequence(std::vector<std::unique_ptr<Block>> blocks) : blocks_(std::move(blocks)) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  /// `before_last` gets the rows that the last block gets. Throws UsageError when these are the sparse input.
  NodeRows forward(ForwardContext& context, const NodeRows& input, Matrix& before_last);
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override;

 private:
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace edgewise::nn
