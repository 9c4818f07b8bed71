#include "edgewise/nn/node_set.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/config.hpp"

namespace edgewise::nn {

namespace {

class NodeSet : public Block {
 public:
  NodeSet(std::string outer, std::string inner, std::vector<std::unique_ptr<Block>> blocks)
      : outer_(std::move(outer)), inner_(std::move(inner)), blocks_(std::move(blocks)) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    context.node_sets[outer_] = input;
    NodeRows rows = context.node_sets.at(inner_);
    for (const auto& block : blocks_) rows = block->forward(context, rows);
    context.node_sets[inner_] = rows;
    return input;
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    for (const auto& block : blocks_) block->collect_parameters(parameters);
  }

  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override {
    for (const auto& block : blocks_) block->collect_state(state);
  }

 private:
  std::string outer_;
  std::string inner_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace

std::unique_ptr<Block> make_node_set(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "set", "blocks"});
  const std::string inner = config.at("set").as_string(), outer = context.node_set, name = context.name;
  if (inner == outer) refuse(config, "set", "expected another node set than the one whose rows the block gets");
  if (!context.widths.contains(inner)) refuse(config, "set", "expected a node set of the data");
  const int width = context.width;
  context.widths[outer] = width;
  context.node_set = inner;
  context.width = context.widths[inner];
  context.name = name + ".blocks";
  auto blocks = make_blocks(config.at("blocks"), context);
  if (context.node_set != inner) refuse(config, "blocks", "expected no readout inside");
  context.widths[inner] = context.width;
  context.node_set = outer;
  context.width = width;
  context.name = name;
  return std::make_unique<NodeSet>(outer, inner, std::move(blocks));
}

}  // namespace edgewise::nn
