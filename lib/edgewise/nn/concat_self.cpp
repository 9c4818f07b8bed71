#include "edgewise/nn/concat_self.hpp"

#include "edgewise/autograd/concat.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

class ConcatSelf : public Block {
 public:
  ConcatSelf(std::string name, std::unique_ptr<Block> block) : name_(std::move(name)), block_(std::move(block)) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const autograd::Variable ego = dense(input, name_);
    const autograd::Variable parts[] = {ego, dense(block_->forward(context, input), name_)};
    return {.dense = autograd::concat_columns(parts)};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    block_->collect_parameters(parameters);
  }

  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override { block_->collect_state(state); }

 private:
  std::string name_;
  std::unique_ptr<Block> block_;
};

}  // namespace

std::unique_ptr<Block> make_concat_self(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "block"});
  const std::string name = context.name;
  const int inputs = context.width;
  const std::string node_set = context.node_set;
  context.name = name + ".block";
  auto block = make_block(config.at("block"), context);
  expect_same_rows(config, "block", node_set, context);
  context.name = name;
  context.width += inputs;
  return std::make_unique<ConcatSelf>(name, std::move(block));
}

}  // namespace edgewise::nn
