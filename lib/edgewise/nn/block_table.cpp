#include "edgewise/nn/block_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/attention_readout.hpp"
#include "edgewise/nn/batch_norm.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/dot_product.hpp"
#include "edgewise/nn/dropout.hpp"
#include "edgewise/nn/feed_forward.hpp"
#include "edgewise/nn/gat.hpp"
#include "edgewise/nn/gatv2.hpp"
#include "edgewise/nn/gcn.hpp"
#include "edgewise/nn/layer_norm.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/mean.hpp"
#include "edgewise/nn/node_set.hpp"
#include "edgewise/nn/parallel.hpp"
#include "edgewise/nn/propagate.hpp"
#include "edgewise/nn/query_readout.hpp"
#include "edgewise/nn/readout.hpp"
#include "edgewise/nn/residual.hpp"
#include "edgewise/nn/separate.hpp"
#include "edgewise/nn/set2set.hpp"

namespace edgewise::nn {

namespace {

struct Entry {
  const char* type;
  std::unique_ptr<Block> (*make)(const json::Value& config, BuildContext& context);
};

constexpr std::array kTable = {
    Entry{"linear", make_linear},
    Entry{"activation", make_activation},
    Entry{"dropout", make_dropout},
    Entry{"layer_norm", make_layer_norm},
    Entry{"batch_norm", make_batch_norm},
    Entry{"feed_forward", make_feed_forward},
    Entry{"gat", make_gat},
    Entry{"gatv2", make_gatv2},
    Entry{"bahdanau", make_bahdanau},
    Entry{"dot_product", make_dot_product},
    Entry{"gcn", make_gcn},
    Entry{"mean", make_mean},
    Entry{"propagate", make_propagate},
    Entry{"residual", make_residual},
    Entry{"separate", make_separate},
    Entry{"parallel", make_parallel},
    Entry{"node_set", make_node_set},
    Entry{"readout", make_readout},
    Entry{"attention_readout", make_attention_readout},
    Entry{"query_readout", make_query_readout},
    Entry{"set2set", make_set2set},
};

}  // namespace

std::unique_ptr<Block> make_block(const json::Value& config, BuildContext& context) {
  const std::string& type = config.at("type").as_string();
  const auto* found = std::ranges::find_if(kTable, [&](const Entry& entry) { return type == entry.type; });
  if (found == kTable.end()) refuse(config, "type", fmt::format("expected one of {}", fmt::join(block_types(), ", ")));
  auto block = found->make(config, context);
  if (context.width > kWidestRow) {
    throw UsageError(fmt::format("{}: {} columns are more than {}", config.path(), context.width, kWidestRow));
  }
  return block;
}

std::vector<std::unique_ptr<Block>> make_blocks(const json::Value& configs, BuildContext& context) {
  const std::string name = context.name;
  std::vector<std::unique_ptr<Block>> blocks;
  for (const json::Value& config : configs.as_array()) {
    context.name = fmt::format("{}.{}", name, blocks.size());
    blocks.push_back(make_block(config, context));
  }
  context.name = name;
  return blocks;
}

std::vector<std::string> block_types() {
  std::vector<std::string> types;
  for (const Entry& entry : kTable) types.emplace_back(entry.type);
  return types;
}

}  // namespace edgewise::nn
