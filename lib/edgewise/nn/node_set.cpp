#include "edgewise/nn/node_set.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/kept_rows.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

NodeRows NodeSetBlock::forward(ForwardContext& context, const NodeRows& input) {
  context.node_sets[options_.outer] = input;
  const auto found = context.node_sets.find(options_.inner);
  if (found == context.node_sets.end())
    throw ModelError(
        fmt::format("node set \"{}\": it has no rows, because no mask of the model uses it", options_.inner));
  const NodeRows rows = found->second;
  if (context.kept == nullptr) {
    context.node_sets[options_.inner] = blocks_->forward(context, rows);
  } else {
    const auto make = [&] { return dense(blocks_->forward(context, rows), name_); };
    context.node_sets[options_.inner] = {.dense = made_once(context, name_, make)};
  }
  return input;
}

std::vector<json::FieldDoc> node_set_fields() {
  return {{.name = "set", .doc = "the node set"},
          {.name = "blocks", .doc = "what its rows go through", .type = json::FieldType::list}};
}

std::unique_ptr<Block> make_node_set(const json::Value& config, BuildContext& context) {
  const NodeSetOptions options{.outer = context.node_set, .inner = config.at("set").as_string()};
  if (options.inner == options.outer)
    refuse(config, "set", "expected another node set than that of the block's input");
  if (!context.widths.contains(options.inner)) refuse(config, "set", "expected a node set of the data");
  const int width = context.width;
  context.widths[options.outer] = width;
  context.node_set = options.inner;
  context.width = context.widths[options.inner];
  auto blocks = make_inner(config, "blocks", context);
  if (context.node_set != options.inner) refuse(config, "blocks", "expected no readout inside");
  context.widths[options.inner] = context.width;
  context.node_set = options.outer;
  context.width = width;
  return std::make_unique<NodeSetBlock>(context.name, options, std::move(blocks));
}

}  // namespace edgewise::nn
