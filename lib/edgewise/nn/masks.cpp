#include "edgewise/nn/masks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/config.hpp"

namespace edgewise::nn {

namespace {

const char* set_of(graph::MaskRows rows) {
  switch (rows) {
    case graph::MaskRows::nodes:
      break;
    case graph::MaskRows::graphs:
      return kGraphs;
    case graph::MaskRows::edges:
      return kEdges;
  }
  return kNodes;
}

MaskShape shape_of(const graph::Mask& mask, const std::string& name, const ModelShape& shape) {
  MaskShape made{.name = name, .rows = set_of(mask.rule->rows), .columns = set_of(mask.rule->columns)};
  made.features = mask.features();
  if (name == "edges") made.features = shape.edge_features;
  if (name == "complete") made.features = shape.pair_features;
  if (mask.rule->reach != nullptr) made.reach = mask.rule->reach(mask.parameters);
  if (mask.rule->is_of_relation) made.relation = mask.parameters.front();
  if (mask.rule->is_of_relation && mask.parameters.size() == 2)
    made.features = std::max(shape.edge_features - static_cast<int>(mask.parameters[1]), 0);
  return made;
}

/// Refuses a block that needs the rows of nodes, after a readout.
void check_is_before_readout(const json::Value& config, const BuildContext& context) {
  if (context.node_set != kGraphs && context.node_set != kLinks) return;
  throw UsageError(fmt::format(
      "{}: a block of type \"{}\" needs one row per node, but after a readout there is one row per {}", config.path(),
      config.at("type").as_string(), context.node_set == kGraphs ? "graph" : "link"));
}

/// Keeps the width of the rows of `columns`, and goes on to the node set `rows`.
void begin_rows(const json::Value& config, const std::string& rows, const std::string& columns, BuildContext& context) {
  check_is_before_readout(config, context);
  if (columns != context.node_set) {
    throw UsageError(fmt::format("{}: a readout is for the rows of \"{}\", but the block gets those of \"{}\"",
                                 config.path(), columns, context.node_set));
  }
  context.widths[context.node_set] = context.width;
  context.node_set = rows;
}

void check_rows(const json::Value& config, const MaskShape& mask, const BuildContext& context) {
  if (mask.rows == kNodes) check_is_before_readout(config, context);
  if (mask.rows != context.node_set) {
    throw UsageError(fmt::format("{}: the mask \"{}\" is for the rows of \"{}\", but the block gets those of \"{}\"",
                                 config.path(), mask.name, mask.rows, context.node_set));
  }
  if (mask.columns != mask.rows && !context.widths.contains(mask.columns)) {
    throw UsageError(fmt::format("{}: the mask \"{}\" attends to the rows of \"{}\", but there are none yet",
                                 config.path(), mask.name, mask.columns));
  }
}

void note_use(const MaskShape& mask, BuildContext& context) {
  if (std::ranges::find(context.masks, mask) == context.masks.end()) context.masks.push_back(mask);
}

}  // namespace

MaskShape find_mask(const std::string& name, const ModelShape& shape, const std::string& where) {
  const auto found = std::ranges::find(shape.masks, name, &MaskShape::name);
  return found != shape.masks.end() ? *found : shape_of(graph::parse_mask(name, where), name, shape);
}

std::vector<MaskShape> relation_masks(int relations, int edge_columns, const BuildContext& context) {
  std::vector<MaskShape> masks;
  for (int k = 1; k <= relations; ++k)
    masks.push_back(find_mask(edge_columns > 0 ? fmt::format("relation_of:{}x{}", k, relations)
                                               : fmt::format("relation:{}", k),
                              context.shape, context.name));
  return masks;
}

MaskShape use_mask(const json::Value& config, BuildContext& context) {
  const json::Value* given = config.find("mask");
  MaskShape mask = find_mask(given != nullptr ? given->as_string() : "edges", context.shape,
                             given != nullptr ? given->path() : config.path());
  use_mask(config, mask, context);
  return mask;
}

void use_mask(const json::Value& config, const MaskShape& mask, BuildContext& context) {
  check_rows(config, mask, context);
  note_use(mask, context);
}

MaskShape begin_graph_level(const json::Value& config, BuildContext& context) {
  MaskShape mask = find_mask("readout", context.shape, config.path());
  begin_rows(config, mask.rows, mask.columns, context);
  note_use(mask, context);
  return mask;
}

void begin_link_level(const json::Value& config, BuildContext& context) {
  begin_rows(config, kLinks, kNodes, context);
}

MaskShape use_order(const json::Value& config, BuildContext& context) {
  check_is_before_readout(config, context);
  const std::vector<MaskShape>& given = context.shape.masks;
  const auto found = std::ranges::find(given, context.node_set + "_order", &MaskShape::name);
  if (context.node_set != kNodes && found == given.end())
    throw UsageError(fmt::format("{}: only the rows of \"{}\" have an order", config.path(), kNodes));
  MaskShape mask = found != given.end() ? *found : find_mask("readout", context.shape, config.path());
  note_use(mask, context);
  return mask;
}

MaskShape use_graph_mask(const json::Value& config, const char* member, BuildContext& context) {
  const json::Value& name = config.at(member);
  MaskShape mask = find_mask(name.as_string(), context.shape, name.path());
  if (mask.rows != kGraphs || !context.widths.contains(mask.columns))
    refuse(config, member, "expected a mask from the graphs to a node set that has rows");
  note_use(mask, context);
  return mask;
}

void expect_same_rows(const json::Value& config, const char* member, const std::string& before,
                      const BuildContext& context) {
  if (before == context.node_set) return;
  throw UsageError(fmt::format(
      "{}: expected no readout inside: a \"{}\" adds or joins its input, which has one row per node; put the readout "
      "after it",
      config.at(member).path(), config.at("type").as_string()));
}

int key_width(const MaskShape& mask, const BuildContext& context) {
  return mask.columns == mask.rows ? context.width : context.widths.at(mask.columns);
}

const graph::FrozenGraph& mask_of(const ForwardContext& context, const MaskShape& mask, const std::string& block) {
  const auto found = context.masks.find(mask.name);
  if (found != context.masks.end() && found->second != nullptr) return *found->second;
  throw ModelError(fmt::format("{}: expected the mask \"{}\" in the forward pass, got none", block, mask.name));
}

const NodeRows& key_rows(const ForwardContext& context, const MaskShape& mask, const NodeRows& input,
                         const std::string& block) {
  if (mask.columns == mask.rows) return input;
  const auto found = context.node_sets.find(mask.columns);
  if (found != context.node_sets.end()) return found->second;
  throw ModelError(
      fmt::format("{}: expected rows of the node set \"{}\" in the forward pass, got none", block, mask.columns));
}

const graph::FrozenGraph& begin_readout(ForwardContext& context, const NodeRows& input, const std::string& block) {
  context.node_sets[kNodes] = input;
  return mask_of(context, {.name = "readout"}, block);
}

const float* mean_weights(autograd::Tape& tape, const graph::FrozenGraph& mask) {
  float* weight = tape.scratch(static_cast<Eigen::Index>(mask.slot_count()), 1).data();
  parallel_for(mask.destination_count(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const graph::EdgeIndex first = mask.incoming.offsets[v];
      const graph::EdgeIndex last = mask.incoming.offsets[v + 1];
      for (graph::EdgeIndex slot = first; slot < last; ++slot) weight[slot] = 1.0F / static_cast<float>(last - first);
    }
  });
  return weight;
}

const float* unit_weights(autograd::Tape& tape, const graph::FrozenGraph& mask) {
  float* weight = tape.scratch(static_cast<Eigen::Index>(mask.slot_count()), 1).data();
  std::fill_n(weight, mask.slot_count(), 1.0F);
  return weight;
}

}  // namespace edgewise::nn
