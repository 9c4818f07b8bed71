#include "edgewise/nn/concat_self.hpp"

#include "edgewise/autograd/concat.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

NodeRows ConcatSelf::forward(ForwardContext& context, const NodeRows& input) {
  const autograd::Variable ego = dense(input, name_);
  const autograd::Variable parts[] = {ego, dense(block_->forward(context, input), name_)};
  return {.dense = autograd::concat_columns(parts)};
}

}  // namespace edgewise::nn
