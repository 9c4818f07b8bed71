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
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override;

 private:
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace edgewise::nn
