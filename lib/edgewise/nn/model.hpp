#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/sequence.hpp"

namespace edgewise::nn {

/// The configuration of a model, with its preset, if it has one, expanded to blocks. Throws UsageError.
json::Value expand_model(const json::Value& config);

/// How to freeze the graph for a model of this configuration (expanded or not), to prepare data before there is a
/// model. Throws UsageError.
graph::FreezeOptions graph_options_of(const json::Value& config);

/// A list of blocks built from JSON, `{"graph": {...}, "blocks": [...]}` or a preset `{"preset": "gat", ...}`, which
/// is expanded. See docs/models.md.
class Model {
 public:
  /// Throws UsageError naming the member of `config` that is wrong, and ModelError if the parameters would take more
  /// than `max_elements`. Parameters are drawn from `seed`.
  Model(const json::Value& config, const ModelShape& shape, std::uint64_t seed,
        std::uint64_t max_elements = ~std::uint64_t{0});

  /// Logits or scaled targets, [nodes, outputs], [graphs, outputs] for a graph-level model, or [links, outputs] for a
  /// link-level one. `input` holds the rows of the nodes; the rows of other node sets, the masks and the links are in
  /// the context. Throws ModelError if one is missing or does not have the shape that the model is made for. The input,
  /// the masks and the links must outlive the record on the tape.
  autograd::Variable forward(ForwardContext& context, const NodeRows& input);

  /// A link-level model in two steps, so that many links cost one pass over the nodes: the rows of the nodes that its
  /// readout of links gets,
  NodeRows encode(ForwardContext& context, const NodeRows& input);
  /// and the outputs for the links of the context, from these rows. Both throw ModelError as `forward` does.
  autograd::Variable read_out(ForwardContext& context, const NodeRows& nodes);
  /// Whether the rows that its readout of links gets are the input.
  bool starts_with_links() const { return first_of_links_ == 0; }

  /// The expanded configuration, from which an equal model can be made.
  const json::Value& config() const { return config_; }
  const ModelShape& shape() const { return shape_; }
  /// How to freeze the graph for this model (direction, self loops, weights as features).
  const graph::FreezeOptions& graph_options() const { return graph_options_; }
  /// Whether there is one row per graph, that is, a readout among the blocks.
  bool is_graph_level() const { return is_graph_level_; }
  /// Whether there is one row per link of ForwardContext::links, which a `link_readout` makes.
  bool is_link_level() const { return is_link_level_; }
  /// The masks that a forward pass needs in `ForwardContext::masks`.
  const std::vector<MaskShape>& masks() const { return masks_; }
  /// Those of them that a rule makes (graph::parse_mask), and not the data (ModelShape::masks).
  std::vector<MaskShape> masks_by_rule() const;
  bool uses_mask(const std::string& name) const;
  /// Whether a mask of the model has rows of this node set. For kEdges, a forward pass then needs them in the context.
  bool uses_node_set(const std::string& name) const;
  /// The maximum number of steps along the edges that the output of a node depends on; nothing if it may depend on all
  /// nodes.
  std::optional<std::size_t> reach(bool is_training) const;
  /// The steps along the edges that a pass makes, which a sample has (ForwardContext::sample): the most of parallel
  /// branches. Nothing if not all masks are along edges, or if a row may depend on rows that edges do not lead to. Of a
  /// link-level model those of `encode`.
  std::optional<std::size_t> sampled_steps() const;
  bool uses_attention() const { return traits_.uses_attention; }
  /// Features or weights of the data's edges.
  bool uses_edge_features() const;
  /// In a fixed order; pointers stay valid as long as the model.
  std::vector<autograd::Parameter*> parameters();
  /// Saved but not trained (running moments).
  std::vector<std::pair<std::string, Matrix*>> state();
  /// The prefix of the names of the last block's parameters: this block gives the outputs.
  std::string output_prefix() const;
  std::size_t parameter_count();
  /// The numbers that the model's linear maps make for a node: fewer than a forward pass holds at once.
  std::size_t row_numbers() const { return row_numbers_; }

 private:
  void check_links(const LinkEnds& links) const;
  void check_node_sets(const ForwardContext& context) const;
  void check_masks(const ForwardContext& context, const NodeRows& input) const;
  void check_sample(const graph::Sample& sample, const NodeRows& input) const;

  json::Value config_;
  ModelShape shape_;
  graph::FreezeOptions graph_options_;
  std::unique_ptr<Sequence> blocks_;
  std::vector<MaskShape> masks_;
  bool is_graph_level_ = false;
  bool is_link_level_ = false;
  std::size_t first_of_links_ = 0;  ///< The place of the readout of links among the blocks.
  std::size_t row_numbers_ = 0;
  BlockTraits traits_;
};

}  // namespace edgewise::nn
