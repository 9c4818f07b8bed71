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
#include "edgewise/nn/concat_set.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/convolution.hpp"
#include "edgewise/nn/dot_product.hpp"
#include "edgewise/nn/dropout.hpp"
#include "edgewise/nn/feed_forward.hpp"
#include "edgewise/nn/gat.hpp"
#include "edgewise/nn/gatv2.hpp"
#include "edgewise/nn/gcn.hpp"
#include "edgewise/nn/gcn2.hpp"
#include "edgewise/nn/layer_norm.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/lstm.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_set.hpp"
#include "edgewise/nn/parallel.hpp"
#include "edgewise/nn/positions.hpp"
#include "edgewise/nn/query_readout.hpp"
#include "edgewise/nn/readout.hpp"
#include "edgewise/nn/residual.hpp"
#include "edgewise/nn/sage.hpp"
#include "edgewise/nn/set2set.hpp"

namespace edgewise::nn {

namespace {

// Blocks made of other blocks, of any type that the table has.

/// {"type": "residual", "blocks": [{"type": "layer_norm"}, {"type": "gat", ...}]}
std::unique_ptr<Block> make_residual(const json::Value& config, BuildContext& context) {
  if (config.at("blocks").as_array().empty()) refuse(config, "blocks", "expected at least one block");
  const int inputs = context.width;
  const std::string node_set = context.node_set;
  auto blocks = make_inner(config, "blocks", context);
  expect_same_rows(config, "blocks", node_set, context);
  const ResidualOptions options{.inputs = inputs, .width = context.width};
  return std::make_unique<ResidualBlock>(options, std::move(blocks), context);
}

/// {"type": "concat_self", "block": {"type": "gat", ...}}
std::unique_ptr<Block> make_concat_self(const json::Value& config, BuildContext& context) {
  const int inputs = context.width;
  const std::string node_set = context.node_set;
  auto block = make_inner(config, "block", context);
  expect_same_rows(config, "block", node_set, context);
  context.width += inputs;
  return std::make_unique<ConcatSelf>(std::move(block), context);
}

/// What a branch ends with.
struct End {
  int width;
  std::string node_set;
};

void check_ends(const json::Value& branch, const End& first, const End& found) {
  if (found.width != first.width) {
    throw UsageError(fmt::format("{}: expected {} columns, as the first branch has, got {}", branch.path(), first.width,
                                 found.width));
  }
  if (found.node_set != first.node_set) {
    throw UsageError(fmt::format("{}: expected a readout in all branches or in none", branch.path()));
  }
}

/// {"type": "parallel", "branches": [[{"type": "gatv2", ...}], [{"type": "dot_product", "mask": "complete", ...}]]}
std::unique_ptr<Block> make_parallel(const json::Value& config, BuildContext& context) {
  const json::Array& configs = config.at("branches").as_array();
  if (configs.empty()) refuse(config, "branches", "expected at least one branch");
  const std::string name = context.name;
  const End start{context.width, context.node_set};
  std::vector<std::unique_ptr<Block>> branches;
  End first{};
  for (const json::Value& branch : configs) {
    context.name = fmt::format("{}.branches.{}", name, branches.size());
    context.width = start.width;
    context.node_set = start.node_set;
    branches.push_back(make_sequence(branch, context));
    const End end{context.width, context.node_set};
    if (branches.size() == 1) first = end;
    check_ends(branch, first, end);
  }
  context.name = name;
  return std::make_unique<Parallel>(std::move(branches), context);
}

/// {"type": "node_set", "set": "memory", "blocks": [...]}
std::unique_ptr<Block> make_node_set(const json::Value& config, BuildContext& context) {
  const NodeSetOptions options{.outer = context.node_set, .inner = config.at("set").as_string()};
  if (options.inner == options.outer)
    refuse(config, "set", "expected a node set other than the one whose rows the block gets");
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
  return std::make_unique<NodeSetBlock>(options, std::move(blocks));
}

struct Entry {
  const char* type;
  std::unique_ptr<Block> (*make)(const json::Value& config, BuildContext& context);
  std::vector<json::FieldDoc> (*fields)();
};

template <attention::Score kScore>
std::vector<json::FieldDoc> attention_docs() {
  return json::docs_of(attention_fields(kScore));
}

template <auto Fields>
std::vector<json::FieldDoc> docs() {
  return json::docs_of(Fields());
}

std::vector<json::FieldDoc> residual_members() {
  return {{.name = "blocks", .doc = "what is added to the input", .type = json::FieldType::list}};
}

std::vector<json::FieldDoc> concat_self_members() {
  return {{.name = "block", .doc = "what is appended to the input", .type = json::FieldType::object}};
}

std::vector<json::FieldDoc> concat_set_members() {
  return {{.name = "set", .doc = "the node set whose rows are appended to the input"}};
}

std::vector<json::FieldDoc> parallel_members() {
  return {{.name = "branches", .doc = "lists of blocks, whose results are summed", .type = json::FieldType::list}};
}

std::vector<json::FieldDoc> node_set_members() {
  return {{.name = "set", .doc = "the node set"},
          {.name = "blocks", .doc = "what its rows go through", .type = json::FieldType::list}};
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
    Entry{"gcn2", make_gcn2, docs<gcn2_fields>},
    Entry{"sage", make_sage, docs<sage_fields>},
    Entry{"appnp", make_appnp, docs<appnp_fields>},
    Entry{"positions", make_positions, docs<positions_fields>},
    Entry{"convolution", make_convolution, docs<convolution_fields>},
    Entry{"lstm", make_lstm, docs<lstm_fields>},
    Entry{"residual", make_residual, residual_members},
    Entry{"concat_self", make_concat_self, concat_self_members},
    Entry{"concat_set", make_concat_set, concat_set_members},
    Entry{"parallel", make_parallel, parallel_members},
    Entry{"node_set", make_node_set, node_set_members},
    Entry{"readout", make_readout, docs<readout_fields>},
    Entry{"attention_readout", make_attention_readout, docs<attention_readout_fields>},
    Entry{"query_readout", make_query_readout, docs<query_readout_fields>},
    Entry{"set2set", make_set2set, docs<set2set_fields>},
};

/// Earlier names of types, which configurations and model files may still use.
constexpr std::array kOldNames = {std::pair{"mean", "sage"}, std::pair{"propagate", "appnp"},
                                  std::pair{"separate", "concat_self"}};

/// Returns the end of the table if there is none.
const Entry* find_entry(std::string type) {
  for (const auto& [old_name, name] : kOldNames)
    if (type == old_name) type = name;
  return std::ranges::find_if(kTable, [&](const Entry& entry) { return type == entry.type; });
}

}  // namespace

std::unique_ptr<Block> make_block(const json::Value& config, BuildContext& context) {
  const auto* found = find_entry(config.at("type").as_string());
  if (found == kTable.end()) refuse(config, "type", fmt::format("expected one of {}", fmt::join(block_types(), ", ")));
  std::vector<std::string_view> members = {"type"};
  const std::vector<json::FieldDoc> fields = found->fields();
  for (const json::FieldDoc& field : fields) members.push_back(field.name);
  config.allow_only(members);
  auto block = found->make(config, context);
  if (context.width > kWidestRow) {
    throw UsageError(fmt::format("{}: {} columns are more than {}", config.path(), context.width, kWidestRow));
  }
  return block;
}

std::unique_ptr<Sequence> make_sequence(const json::Value& configs, BuildContext& context) {
  const std::string name = context.name;
  std::vector<std::unique_ptr<Block>> blocks;
  for (const json::Value& config : configs.as_array()) {
    context.name = fmt::format("{}.{}", name, blocks.size());
    blocks.push_back(make_block(config, context));
  }
  context.name = name;
  return std::make_unique<Sequence>(std::move(blocks));
}

std::unique_ptr<Block> make_inner(const json::Value& config, const char* member, BuildContext& context) {
  const json::Value& inner = config.at(member);
  const std::string name = std::exchange(context.name, fmt::format("{}.{}", context.name, member));
  std::unique_ptr<Block> made;
  if (inner.is_array())
    made = make_sequence(inner, context);
  else
    made = make_block(inner, context);
  context.name = name;
  return made;
}

std::vector<json::FieldDoc> block_fields(const std::string& type) {
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
