#include "edgewise/nn/block_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/appnp.hpp"
#include "edgewise/nn/attention_readout.hpp"
#include "edgewise/nn/batch_norm.hpp"
#include "edgewise/nn/concat_self.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/dot_product.hpp"
#include "edgewise/nn/dropout.hpp"
#include "edgewise/nn/feed_forward.hpp"
#include "edgewise/nn/gat.hpp"
#include "edgewise/nn/gatv2.hpp"
#include "edgewise/nn/gcn.hpp"
#include "edgewise/nn/layer_norm.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/node_set.hpp"
#include "edgewise/nn/parallel.hpp"
#include "edgewise/nn/query_readout.hpp"
#include "edgewise/nn/readout.hpp"
#include "edgewise/nn/residual.hpp"
#include "edgewise/nn/sage.hpp"
#include "edgewise/nn/set2set.hpp"

namespace edgewise::nn {

namespace {

struct Entry {
  const char* type;
  std::unique_ptr<Block> (*make)(const json::Value& config, BuildContext& context);
  std::vector<FieldDoc> (*fields)() = [] { return std::vector<FieldDoc>(); };
};

template <attention::Score kScore>
std::vector<FieldDoc> attention_docs() {
  return docs_of(attention_fields(kScore));
}

template <auto Fields>
std::vector<FieldDoc> docs() {
  return docs_of(Fields());
}

constexpr std::array kTable = {
    Entry{"linear", make_linear, docs<linear_fields>},
    Entry{"activation", make_activation, docs<activation_fields>},
    Entry{"dropout", make_dropout, docs<dropout_fields>},
    Entry{"layer_norm", make_layer_norm, docs<layer_norm_fields>},
    Entry{"batch_norm", make_batch_norm, docs<batch_norm_fields>},
    Entry{"feed_forward", make_feed_forward, docs<feed_forward_fields>},
    Entry{"gat", make_gat, attention_docs<attention::Score::gat>},
    Entry{"gatv2", make_gatv2, attention_docs<attention::Score::gatv2>},
    Entry{"bahdanau", make_bahdanau, attention_docs<attention::Score::bahdanau>},
    Entry{"dot_product", make_dot_product, attention_docs<attention::Score::dot_product>},
    Entry{"gcn", make_gcn, docs<gcn_fields>},
    Entry{"sage", make_sage, docs<sage_fields>},
    Entry{"appnp", make_appnp, docs<appnp_fields>},
    Entry{"residual", make_residual},
    Entry{"concat_self", make_concat_self},
    Entry{"parallel", make_parallel},
    Entry{"node_set", make_node_set},
    Entry{"readout", make_readout, docs<readout_fields>},
    Entry{"attention_readout", make_attention_readout, docs<attention_readout_fields>},
    Entry{"query_readout", make_query_readout, docs<query_readout_fields>},
    Entry{"set2set", make_set2set, docs<set2set_fields>},
};

/// Earlier names of types, which configurations and model files may still use.
constexpr std::array kOldNames = {std::pair{"mean", "sage"}, std::pair{"propagate", "appnp"},
                                  std::pair{"separate", "concat_self"}};

/// The end of the table when there is none.
const Entry* find_entry(std::string type) {
  for (const auto& [old_name, name] : kOldNames)
    if (type == old_name) type = name;
  return std::ranges::find_if(kTable, [&](const Entry& entry) { return type == entry.type; });
}

}  // namespace

std::unique_ptr<Block> make_block(const json::Value& config, BuildContext& context) {
  const auto* found = find_entry(config.at("type").as_string());
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

std::vector<FieldDoc> block_fields(const std::string& type) {
  const Entry* found = find_entry(type);
  if (found == kTable.end()) throw UsageError(fmt::format("there is no block of type \"{}\"", type));
  return found->fields();
}

std::vector<std::string> block_types() {
  std::vector<std::string> types;
  for (const Entry& entry : kTable) types.emplace_back(entry.type);
  return types;
}

}  // namespace edgewise::nn
