#include "edgewise/nn/node_set.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"

namespace edgewise::nn {

NodeRows NodeSetBlock::forward(ForwardContext& context, const NodeRows& input) {
  context.node_sets[options_.outer] = input;
  const auto found = context.node_sets.find(options_.inner);
  if (found == context.node_sets.end())
    throw ModelError(
        fmt::format("node set \"{}\": it has no rows, because no mask of the model uses it", options_.inner));
  const NodeRows rows = found->second;
  context.node_sets[options_.inner] = blocks_->forward(context, rows);
  return input;
}

}  // namespace edgewise::nn
