#include "edgewise/nn/residual.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

ResidualBlock::ResidualBlock(const ResidualOptions& options, std::unique_ptr<Block> blocks, BuildContext& context)
    : name_(context.name),
      blocks_(std::move(blocks)),
      shortcut_(context, Residual::automatic, options.inputs, options.width, LinearMap::Bias::no) {}

NodeRows ResidualBlock::forward(ForwardContext& context, const NodeRows& input) {
  const NodeRows rows = blocks_->forward(context, input);
  return {.dense = autograd::add(shortcut_(context, input), dense(rows, name_))};
}

void ResidualBlock::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  blocks_->collect_parameters(parameters);
  shortcut_.collect_parameters(parameters);
}

}  // namespace edgewise::nn
