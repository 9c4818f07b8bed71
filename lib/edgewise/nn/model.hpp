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

/// The configuration of a model with its preset, if it has one, as blocks. Throws UsageError.
json::Value expand_model(const json::Value& config);

/// How the graph is to be frozen for a model of this configuration (expanded or not): what the data is prepared with
/// before there is a model. Throws UsageError.
graph::FreezeOptions graph_options_of(const json::Value& config);

/// A list of blocks built from JSON, `{"graph": {...}, "blocks": [...]}` or a preset `{"preset": "gat", ...}`, which
/// is expanded. See docs/models.md.
class Model {
 public:
  /// Throws UsageError naming the member of `config` that is wrong. Parameters are drawn from `seed`.
  /// ModelError when they would take more than `max_elements`.
  Model(const json::Value& config, const ModelShape& shape, std::uint64_t seed,
        std::uint64_t max_elements = ~std::uint64_t{0});

  /// Logits or scaled targets, [nodes, outputs], or [graphs, outputs] of a graph-level model. `input` is the rows of
  /// the nodes; those of other node sets are in the context, and so are the masks. Throws ModelError when one is
  /// missing or has not the shape that the model is made for. The input and the masks must outlive the record on the
  /// tape.
  autograd::Variable forward(ForwardContext& context, const NodeRows& input);

  /// The expanded configuration, from which an equal model can be made.
  const json::Value& config() const { return config_; }
  const ModelShape& shape() const { return shape_; }
  /// How the graph is to be frozen for this model (direction, self loops, weights as features).
  const graph::FreezeOptions& graph_options() const { return graph_options_; }
  /// One row a graph: a readout is among the blocks.
  bool is_graph_level() const { return is_graph_level_; }
  /// What a forward pass needs in `ForwardContext::masks`.
  const std::vector<MaskShape>& masks() const { return masks_; }
  bool uses_mask(const std::string& name) const;
  /// Whether a mask of the model has rows of this node set. With kEdges, a forward pass needs them in the context.
  bool uses_node_set(const std::string& name) const;
  /// How many steps along the edges the output of a node depends on, at most, as `nn::reach` says; nothing where it may
  /// depend on all nodes.
  std::optional<std::size_t> reach(bool is_training);
  /// In a fixed order; pointers stay valid as long as the model.
  std::vector<autograd::Parameter*> parameters();
  /// Saved but not trained (running moments).
  std::vector<std::pair<std::string, Matrix*>> state();
  /// What the names of the last block's parameters begin with: it gives the outputs.
  std::string output_prefix() const;
  std::size_t parameter_count();

 private:
  void check_node_sets(const ForwardContext& context) const;
  void check_masks(const ForwardContext& context, const NodeRows& input) const;

  json::Value config_;
  ModelShape shape_;
  graph::FreezeOptions graph_options_;
  std::unique_ptr<Sequence> blocks_;
  std::vector<MaskShape> masks_;
  bool is_graph_level_ = false;
  struct Reach {
    std::optional<std::size_t> steps;
    bool has_batch_norm;
  };
  std::optional<Reach> reach_;  // found out when it is first asked for
};

}  // namespace edgewise::nn
