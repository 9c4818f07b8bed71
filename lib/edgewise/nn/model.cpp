#include "edgewise/nn/model.hpp"

#include <fmt/format.h>

#include "edgewise/autograd/linear.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/presets.hpp"

namespace edgewise::nn {

namespace {

json::Value expand(const json::Value& config) {
  if (config.find("preset") == nullptr) return config;
  // Parsed again, so that its values know their paths.
  return json::parse(json::dump(expand_preset(config)), "model");
}

graph::FreezeOptions read_graph_options(const json::Value& expanded) {
  graph::FreezeOptions options;
  const json::Value* config = expanded.find("graph");
  if (config == nullptr) return options;
  config->allow_only({"flow", "self_loops", "weight_as_feature"});
  options.flow = static_cast<graph::Flow>(read_choice(*config, "flow", {"source_to_target", "target_to_source"}, 0));
  options.self_loops = config->get("self_loops", false) ? graph::AddSelfLoops::yes : graph::AddSelfLoops::no;
  options.weight_as_feature = config->get("weight_as_feature", false);
  return options;
}

void check_fit(const char* what, Eigen::Index expected, Eigen::Index found) {
  if (expected == found) return;
  throw ModelError(fmt::format("{}: the model is made for {}, got {}", what, expected, found));
}

}  // namespace

graph::FreezeOptions graph_options_of(const json::Value& config) { return read_graph_options(expand(config)); }

Model::Model(const json::Value& config, const ModelShape& shape, std::uint64_t seed, std::uint64_t max_elements)
    : config_(expand(config)), shape_(shape), graph_options_(read_graph_options(config_)) {
  config_.allow_only({"graph", "blocks"});
  if (shape.inputs < 0 || shape.outputs < 1 || shape.edge_features < 0 || shape.pair_features < 0) {
    throw UsageError(fmt::format(
        "model: expected at least one output, got {} inputs, {} outputs, {} edge features, {} pair features",
        shape.inputs, shape.outputs, shape.edge_features, shape.pair_features));
  }
  const json::Value& blocks = config_.at("blocks");
  if (blocks.as_array().empty()) refuse(config_, "blocks", "expected at least one block");
  BuildContext context{.shape = shape, .width = shape.inputs, .name = "blocks", .seed = seed, .budget = max_elements};
  blocks_ = make_blocks(blocks, context);
  if (context.width != shape.outputs) {
    throw UsageError(fmt::format("{}: expected the last block to give {} columns (\"width\": \"outputs\"), got {}",
                                 blocks.path(), shape.outputs, context.width));
  }
  is_graph_level_ = context.is_graph_level;
  uses_complete_mask_ = context.uses_complete_mask;
}

void Model::check_masks(const ForwardContext& context, std::size_t nodes) const {
  const auto check_nodes = [nodes](const char* what, std::size_t found) {
    if (found != nodes) throw ModelError(fmt::format("{}: made for {} nodes, got {}", what, found, nodes));
  };
  if (is_graph_level_) check_nodes("readout mask", mask_of(context, MaskKind::readout, "model").source_count());
  if (!uses_complete_mask_) return;
  const graph::FrozenGraph& complete = mask_of(context, MaskKind::complete, "model");
  check_nodes("complete mask", complete.destination_count());
  check_nodes("complete mask", complete.source_count());
  check_fit("pair features", shape_.pair_features, complete.edge_features.cols());
}

autograd::Variable Model::forward(ForwardContext& context, const Signal& input) {
  const autograd::SparseInput* sparse = input.sparse.input;
  const auto rows = sparse != nullptr ? sparse->rows() : input.dense.rows();
  const auto columns = sparse != nullptr ? sparse->columns() : input.dense.cols();
  check_fit("node features", shape_.inputs, columns);
  check_fit("edge features", shape_.edge_features, context.graph.edge_features.cols());
  if (static_cast<std::size_t>(rows) != context.graph.destination_count() ||
      static_cast<std::size_t>(rows) != context.graph.source_count()) {
    throw ModelError(fmt::format("node features: {} rows for a graph of {} nodes", rows,
                                 context.graph.destination_count()));
  }
  check_masks(context, static_cast<std::size_t>(rows));
  Signal signal = input;
  for (const auto& block : blocks_) signal = block->forward(context, signal);
  if (signal.sparse.is_set()) throw UsageError("blocks: no block of the model makes the sparse features dense");
  return signal.dense;
}

std::vector<autograd::Parameter*> Model::parameters() {
  std::vector<autograd::Parameter*> parameters;
  for (const auto& block : blocks_) block->collect_parameters(parameters);
  return parameters;
}

std::vector<std::pair<std::string, Matrix*>> Model::state() {
  std::vector<std::pair<std::string, Matrix*>> state;
  for (const auto& block : blocks_) block->collect_state(state);
  return state;
}

std::size_t Model::parameter_count() {
  std::size_t count = 0;
  for (const autograd::Parameter* parameter : parameters()) count += static_cast<std::size_t>(parameter->value.size());
  return count;
}

}  // namespace edgewise::nn
