#include "edgewise/nn/concat_self.hpp"

#include "edgewise/autograd/concat.hpp"
#include "edgewise/autograd/leading_rows.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

NodeRows ConcatSelf::forward(ForwardContext& context, const NodeRows& input) {
  const autograd::Variable ego = dense(input, name_);
  const autograd::Variable seen = dense(block_->forward(context, input), name_);
  const autograd::Variable parts[] = {autograd::leading_rows(ego, seen.rows()), seen};
  return {.dense = autograd::concat_columns(parts)};
}

std::vector<json::FieldDoc> concat_self_fields() {
  return {{.name = "block", .doc = "what is appended to the input", .type = json::FieldType::object}};
}

std::unique_ptr<Block> make_concat_self(const json::Value& config, BuildContext& context) {
  const int inputs = context.width;
  const std::string node_set = context.node_set;
  auto block = make_inner(config, "block", context);
  expect_same_rows(config, "block", node_set, context);
  context.width += inputs;
  return std::make_unique<ConcatSelf>(std::move(block), context);
}

}  // namespace edgewise::nn
