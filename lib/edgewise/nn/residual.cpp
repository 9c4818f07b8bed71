#include "edgewise/nn/residual.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/edges.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

ResidualBlock::ResidualBlock(const ResidualOptions& options, std::unique_ptr<Block> blocks, BuildContext& context)
    : name_(context.name),
      blocks_(std::move(blocks)),
      shortcut_(context, Residual::automatic, options.inputs, options.width, LinearMap::Bias::no) {}

NodeRows ResidualBlock::forward(ForwardContext& context, const NodeRows& input) {
  const NodeRows rows = blocks_->forward(context, input);
  return {.dense = autograd::add(shortcut_(context, leading(context, input, rows.count())), dense(rows, name_))};
}

void ResidualBlock::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  blocks_->collect_parameters(parameters);
  shortcut_.collect_parameters(parameters);
}

std::vector<json::FieldDoc> residual_fields() {
  return {{.name = "blocks", .doc = "what is added to the input", .type = json::FieldType::list}};
}

std::unique_ptr<Block> make_residual(const json::Value& config, BuildContext& context) {
  if (config.at("blocks").as_array().empty()) refuse(config, "blocks", "expected at least one block");
  const int inputs = context.width;
  const std::string node_set = context.node_set;
  auto blocks = make_inner(config, "blocks", context);
  expect_same_rows(config, "blocks", node_set, context);
  const ResidualOptions options{.inputs = inputs, .width = context.width};
  return std::make_unique<ResidualBlock>(options, std::move(blocks), context);
}

}  // namespace edgewise::nn
