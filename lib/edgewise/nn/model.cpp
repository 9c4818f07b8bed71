#include "edgewise/nn/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/masks/line.hpp"
#include "edgewise/graph/sample.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/model_options.hpp"
#include "edgewise/nn/presets.hpp"

namespace edgewise::nn {

namespace {

graph::FreezeOptions read_graph_options(const json::Value& expanded) {
  graph::FreezeOptions options;
  const json::Value* config = expanded.find("graph");
  if (config == nullptr) return options;
  config->allow_only({"flow", "self_loops", "edges", "weight_as_feature", "weight_scale"});
  options.flow = static_cast<graph::Flow>(read_choice(*config, "flow", flow_names(), 0));
  options.self_loops = config->get("self_loops", false) ? graph::AddSelfLoops::yes : graph::AddSelfLoops::no;
  options.kept = config->get("edges", true) ? graph::KeptEdges::all : graph::KeptEdges::self_loops;
  options.weight_as_feature = config->get("weight_as_feature", false);
  if (const json::Value* scale = config->find("weight_scale")) {
    scale->allow_only({"mean", "scale"});
    options.weight_scale = {.mean = scale->at("mean").as_number(), .scale = scale->at("scale").as_number()};
  }
  return options;
}

void check_fit(const std::string& what, Eigen::Index expected, Eigen::Index found) {
  if (expected == found) return;
  throw ModelError(fmt::format("{}: the model is made for {}, got {}", what, expected, found));
}

bool is_known_to_all(const std::string& name) {
  return name == kNodes || name == kGraphs || name == kLinks || name == kEdges;
}

bool is_known_set(const std::string& name, const ModelShape& shape) {
  return is_known_to_all(name) ||
         std::ranges::find(shape.node_sets, name, &NodeSetShape::name) != shape.node_sets.end();
}

void check_shape(const ModelShape& shape) {
  if (shape.inputs < 0 || shape.outputs < 1 || shape.edge_features < 0 || shape.pair_features < 0) {
    throw UsageError(fmt::format(
        "model: expected at least one output, got {} inputs, {} outputs, {} edge features, {} pair features",
        shape.inputs, shape.outputs, shape.edge_features, shape.pair_features));
  }
  for (const NodeSetShape& set : shape.node_sets) {
    if (set.name.empty() || is_known_to_all(set.name) || set.columns < 0)
      throw UsageError(
          fmt::format("model: expected a name and columns of a node set besides nodes, edges, graphs and links, got "
                      "\"{}\" with {} columns",
                      set.name, set.columns));
  }
  for (const MaskShape& mask : shape.masks) {
    for (const std::string& set : {mask.rows, mask.columns})
      if (!is_known_set(set, shape))
        throw UsageError(
            fmt::format("model: the mask \"{}\" is between node sets, but there is no \"{}\"", mask.name, set));
    if (mask.features < 0)
      throw UsageError(fmt::format("model: the mask \"{}\" has {} features", mask.name, mask.features));
  }
}

/// Throws UsageError if it is within another block.
std::size_t place_of_link_readout(const json::Value& blocks) {
  const json::Array& list = blocks.as_array();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].at("type").as_string() == "link_readout") return i;
  throw UsageError(fmt::format("{}: expected a \"link_readout\" among the blocks themselves, not within one of them",
                               blocks.path()));
}

}  // namespace

json::Value expand_model(const json::Value& config) {
  if (config.find("preset") == nullptr) return config;
  return expand_preset(config).rooted_at("model");
}

graph::FreezeOptions graph_options_of(const json::Value& config) { return read_graph_options(expand_model(config)); }

Model::Model(const json::Value& config, const ModelShape& shape, std::uint64_t seed, std::uint64_t max_elements)
    : config_(expand_model(config)), shape_(shape), graph_options_(read_graph_options(config_)) {
  config_.allow_only({"graph", "blocks"});
  check_shape(shape);
  const json::Value& blocks = config_.at("blocks");
  if (blocks.as_array().empty()) refuse(config_, "blocks", "expected at least one block");
  BuildContext context{.shape = shape, .width = shape.inputs, .name = "blocks", .seed = seed, .budget = max_elements};
  for (const NodeSetShape& set : shape.node_sets) context.widths[set.name] = set.columns;
  context.widths[kEdges] = graph::edge_row_width(shape.edge_features);
  blocks_ = make_sequence(blocks, context);
  if (context.width != shape.outputs) {
    throw UsageError(fmt::format("{}: expected the last block to give {} columns (\"width\": \"outputs\"), got {}",
                                 blocks.path(), shape.outputs, context.width));
  }
  masks_ = std::move(context.masks);
  traits_ = blocks_->traits();
  is_graph_level_ = context.node_set == kGraphs;
  if (context.node_set == kLinks) first_of_links_ = place_of_link_readout(blocks);
  is_link_level_ = context.node_set == kLinks;
  for (const autograd::Parameter* parameter : parameters())
    if (parameter->name.ends_with(".weight")) row_numbers_ += static_cast<std::size_t>(parameter->value.cols());
}

std::vector<MaskShape> Model::masks_by_rule() const {
  std::vector<MaskShape> by_rule;
  std::ranges::copy_if(masks_, std::back_inserter(by_rule), [&](const MaskShape& mask) {
    return std::ranges::find(shape_.masks, mask.name, &MaskShape::name) == shape_.masks.end();
  });
  return by_rule;
}

bool Model::uses_mask(const std::string& name) const {
  return std::ranges::find(masks_, name, &MaskShape::name) != masks_.end();
}

bool Model::uses_node_set(const std::string& name) const {
  return std::ranges::any_of(masks_, [&](const MaskShape& mask) { return mask.rows == name || mask.columns == name; });
}

std::optional<std::size_t> Model::reach(bool is_training) const {
  if (is_training && traits_.has_batch_moments) return std::nullopt;
  if (!traits_.weighs_by_degree || traits_.reach == std::size_t{0}) return traits_.reach;
  return traits_.reach ? std::optional(*traits_.reach + 1) : std::nullopt;
}

std::optional<std::size_t> Model::sampled_steps() const {
  const bool has_only_edges = std::ranges::all_of(masks_, [this](const MaskShape& mask) {
    const bool is_of_links = is_link_level_ && mask.rows == kLinks;
    return is_of_links || (mask.is_along_edges() && mask.rows == kNodes && mask.columns == kNodes);
  });
  if (!has_only_edges) return std::nullopt;
  return is_link_level_ ? blocks_->traits(0, first_of_links_).reach : traits_.reach;
}

bool Model::uses_edge_features() const { return traits_.uses_edge_features || uses_node_set(kEdges); }

void Model::check_links(const LinkEnds& links) const {
  if (links.sources.size() != links.targets.size())
    throw ModelError(fmt::format("links: expected two ends of each in the forward pass, got {} sources and {} targets",
                                 links.sources.size(), links.targets.size()));
  if (is_link_level_ && links.sources.empty())
    throw ModelError("links: expected their ends in the forward pass, got none");
}

void Model::check_node_sets(const ForwardContext& context) const {
  std::vector<NodeSetShape> needed = shape_.node_sets;
  if (uses_node_set(kEdges)) needed.push_back({kEdges, graph::edge_row_width(shape_.edge_features)});
  for (const NodeSetShape& set : needed) {
    const auto rows = context.node_sets.find(set.name);
    if (rows == context.node_sets.end())
      throw ModelError(fmt::format("node set \"{}\": expected its rows in the forward pass, got none", set.name));
    check_fit(fmt::format("columns of the node set \"{}\"", set.name), set.columns, rows->second.columns());
  }
}

void Model::check_sample(const graph::Sample& sample, const NodeRows& input) const {
  check_fit("steps along the edges of the sample", static_cast<Eigen::Index>(sampled_steps().value_or(0)),
            static_cast<Eigen::Index>(sample.steps.size()));
  check_fit("nodes of the sample", input.count(), static_cast<Eigen::Index>(sample.nodes.size()));
  std::size_t rows = sample.nodes.size();
  for (const auto& step : sample.steps) {
    check_fit("edge features of the mask \"edges\"", shape_.edge_features, step->mask.edge_features.cols());
    if (step->mask.source_count() != rows || step->mask.destination_count() > rows)
      throw ModelError(fmt::format("sample: expected a step from {} rows to some of them, got one from {} to {}", rows,
                                   step->mask.source_count(), step->mask.destination_count()));
    rows = step->mask.destination_count();
  }
}

void Model::check_masks(const ForwardContext& context, const NodeRows& input) const {
  std::map<std::string, Eigen::Index> counts = {
      {kNodes, input.count()}, {kLinks, static_cast<Eigen::Index>(context.links.sources.size())}};
  for (const auto& [name, rows] : context.node_sets) counts[name] = rows.count();
  for (const MaskShape& shape : masks_)
    if (shape.rows == kGraphs)
      counts[kGraphs] = static_cast<Eigen::Index>(mask_of(context, shape, "model").destination_count());
  const auto check_count = [&](const MaskShape& mask, const std::string& set, std::size_t found) {
    if (static_cast<std::size_t>(counts.at(set)) == found) return;
    throw ModelError(fmt::format("mask \"{}\": made for {} rows of \"{}\", but there are {}", mask.name, found, set,
                                 counts.at(set)));
  };
  const bool are_sampled = context.sample != nullptr;
  if (are_sampled && std::ranges::any_of(masks_, &MaskShape::is_along_edges)) check_sample(*context.sample, input);
  for (const MaskShape& needed : masks_) {
    if (are_sampled && needed.is_along_edges()) continue;
    const bool is_made_of_edges = needed.relation > 0 && !context.masks.contains(needed.name);
    const MaskShape shape = is_made_of_edges ? MaskShape{.name = kEdges, .features = shape_.edge_features} : needed;
    const graph::FrozenGraph& mask = mask_of(context, shape, "model");
    check_count(shape, shape.rows, mask.destination_count());
    const auto halo = static_cast<std::size_t>(context.part != nullptr ? context.part->halo_rows() : 0);
    check_count(shape, shape.columns, mask.source_count() - halo);
    check_fit(fmt::format("edge features of the mask \"{}\"", shape.name), shape.features, mask.edge_features.cols());
  }
}

autograd::Variable Model::forward(ForwardContext& context, const NodeRows& input) {
  check_fit("node features", shape_.inputs, input.columns());
  if (context.kept == nullptr) {  // a step has the rows and the masks of its new rows
    check_links(context.links);
    check_node_sets(context);
    check_masks(context, input);
  }
  const NodeRows rows = context.embeddings == nullptr ? blocks_->forward(context, input)
                                                      : blocks_->forward(context, input, *context.embeddings);
  if (rows.sparse.is_set()) throw UsageError("blocks: no block of the model makes the sparse features dense");
  return rows.dense;
}

NodeRows Model::encode(ForwardContext& context, const NodeRows& input) {
  check_fit("node features", shape_.inputs, input.columns());
  return blocks_->forward(context, input, 0, first_of_links_);
}

autograd::Variable Model::read_out(ForwardContext& context, const NodeRows& nodes) {
  check_links(context.links);
  check_node_sets(context);
  return blocks_->forward(context, nodes, first_of_links_, blocks_->size()).dense;
}

std::vector<autograd::Parameter*> Model::parameters() {
  std::vector<autograd::Parameter*> parameters;
  blocks_->collect_parameters(parameters);
  return parameters;
}

std::vector<std::pair<std::string, Matrix*>> Model::state() {
  std::vector<std::pair<std::string, Matrix*>> state;
  blocks_->collect_state(state);
  return state;
}

std::string Model::output_prefix() const {
  return fmt::format("blocks.{}.", config_.at("blocks").as_array().size() - 1);
}

std::size_t Model::parameter_count() {
  std::size_t count = 0;
  for (const autograd::Parameter* parameter : parameters()) count += static_cast<std::size_t>(parameter->value.size());
  return count;
}

}  // namespace edgewise::nn
