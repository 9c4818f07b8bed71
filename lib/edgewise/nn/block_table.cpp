#include "edgewise/nn/block_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/all_blocks.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/readout_block.hpp"

namespace edgewise::nn {

namespace {

struct Entry {
  const char* type;
  std::unique_ptr<Block> (*make)(const json::Value& config, BuildContext& context);
  std::vector<json::FieldDoc> (*fields)();
  bool is_readout;
};

/// Whether what `make` makes are readouts.
template <class Make>
constexpr bool makes_readouts(Make /*make*/) {
  using Made = typename std::invoke_result_t<Make, const json::Value&, BuildContext&>::element_type;
  return std::is_base_of_v<ReadoutBlock, Made>;
}

/// Of a function that gives the fields, or their documentation.
template <auto kFields>
std::vector<json::FieldDoc> docs() {
  if constexpr (std::is_same_v<decltype(kFields()), std::vector<json::FieldDoc>>)
    return kFields();
  else
    return json::docs_of(kFields());
}

constexpr std::array kTable = {
#define EDGEWISE_BLOCK(type)                                                                        \
  Entry{#type,                                                                                      \
        [](const json::Value& config, BuildContext& context) -> std::unique_ptr<Block> {            \
          return make_##type(config, context);                                                      \
        },                                                                                          \
        docs<type##_fields>,                                                                        \
        makes_readouts([](const json::Value& config, BuildContext& context) { return make_##type(config, context); })},
    EDGEWISE_BLOCKS
#undef EDGEWISE_BLOCK
};

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
  refuse_storage(config);
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

bool is_readout(const std::string& type) {
  const Entry* found = find_entry(type);
  return found != kTable.end() && found->is_readout;
}

std::vector<std::string> block_types() {
  std::vector<std::string> types;
  for (const Entry& entry : kTable) types.emplace_back(entry.type);
  return types;
}

}  // namespace edgewise::nn
