#include "edgewise/nn/masks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::nn {

void expect_node_level(const json::Value& config, const BuildContext& context) {
  if (!context.is_graph_level) return;
  throw UsageError(fmt::format(
      "{}: a block of type \"{}\" needs one row a node, and a readout stands before it: there is one row a graph",
      config.path(), config.at("type").as_string()));
}

void begin_graph_level(const json::Value& config, BuildContext& context) {
  expect_node_level(config, context);
  context.is_graph_level = true;
}

void expect_same_level(const json::Value& config, const char* member, bool was_graph_level,
                       const BuildContext& context) {
  if (was_graph_level == context.is_graph_level) return;
  throw UsageError(fmt::format(
      "{}: expected no readout inside: a \"{}\" adds or joins its input, which has one row a node; put the readout "
      "behind it",
      config.at(member).path(), config.at("type").as_string()));
}

const graph::FrozenGraph& mask_of(const ForwardContext& context, MaskKind kind, const std::string& block) {
  if (kind == MaskKind::edges) return context.graph;
  const graph::FrozenGraph* mask = kind == MaskKind::complete ? context.complete : context.readout;
  if (mask != nullptr) return *mask;
  throw ModelError(fmt::format("{}: expected the {} of a union of graphs in the forward pass, got none", block,
                               kind == MaskKind::complete ? "complete mask" : "readout mask"));
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
