#include "edgewise/nn/concat_set.hpp"

#include <fmt/format.h>

#include "edgewise/autograd/concat.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

NodeRows ConcatSet::forward(ForwardContext& context, const NodeRows& input) {
  const auto found = context.node_sets.find(set_);
  if (found == context.node_sets.end())
    throw ModelError(
        fmt::format("{}: node set \"{}\": it has no rows, because no mask of the model uses it", name_, set_));
  const NodeRows& beside = found->second;
  if (beside.count() != input.count())
    throw ModelError(fmt::format("{}: {} rows, but {} of the node set \"{}\" to append to them", name_,
                                 input.count(), beside.count(), set_));
  const autograd::Variable parts[] = {dense(input, name_), dense(beside, name_)};
  return {.dense = autograd::concat_columns(parts)};
}

std::unique_ptr<Block> make_concat_set(const json::Value& config, BuildContext& context) {
  const std::string set = config.at("set").as_string();
  if (set == context.node_set)
    refuse(config, "set", "expected another node set than that of the block's input");
  const auto found = context.widths.find(set);
  if (found == context.widths.end()) refuse(config, "set", "expected a node set of the data");
  context.width += found->second;
  return std::make_unique<ConcatSet>(set, context);
}

std::vector<json::FieldDoc> concat_set_fields() {
  return {{.name = "set", .doc = "the node set whose rows are appended to the input"}};
}

}  // namespace edgewise::nn
