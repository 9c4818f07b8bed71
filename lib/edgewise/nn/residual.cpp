#include "edgewise/nn/residual.hpp"

#include <vector>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/nn/attention_parts.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

class ResidualBlock : public Block {
 public:
  ResidualBlock(std::string name, std::vector<std::unique_ptr<Block>> blocks, Shortcut shortcut)
      : name_(std::move(name)), blocks_(std::move(blocks)), shortcut_(std::move(shortcut)) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    NodeRows rows = input;
    for (const auto& block : blocks_) rows = block->forward(context, rows);
    return {.dense = autograd::add(shortcut_(context, input), dense(rows, name_))};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    for (const auto& block : blocks_) block->collect_parameters(parameters);
    shortcut_.collect_parameters(parameters);
  }

  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override {
    for (const auto& block : blocks_) block->collect_state(state);
  }

 private:
  std::string name_;
  std::vector<std::unique_ptr<Block>> blocks_;
  Shortcut shortcut_;
};

}  // namespace

std::unique_ptr<Block> make_residual(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "blocks"});
  if (config.at("blocks").as_array().empty()) refuse(config, "blocks", "expected at least one block");
  const std::string name = context.name;
  const int inputs = context.width;
  const std::string node_set = context.node_set;
  context.name = name + ".blocks";
  auto blocks = make_blocks(config.at("blocks"), context);
  expect_same_rows(config, "blocks", node_set, context);
  context.name = name;
  const int outputs = context.width;
  Shortcut shortcut(context, Residual::automatic, inputs, outputs, LinearMap::Bias::no);
  return std::make_unique<ResidualBlock>(name, std::move(blocks), std::move(shortcut));
}

}  // namespace edgewise::nn
