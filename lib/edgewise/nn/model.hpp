#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

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

  /// Logits or scaled targets, [nodes, outputs], or [graphs, outputs] of a graph-level model. Throws ModelError when
  /// the input, the graph or a mask that the model needs has not the shape that the model is made for. The input and
  /// the graph must outlive the record on the tape.
  autograd::Variable forward(ForwardContext& context, const Signal& input);

  /// The expanded configuration, from which an equal model can be made.
  const json::Value& config() const { return config_; }
  const ModelShape& shape() const { return shape_; }
  /// How the graph is to be frozen for this model (direction, self loops, weights as features).
  const graph::FreezeOptions& graph_options() const { return graph_options_; }
  /// One row a graph: a readout is among the blocks, and a forward pass needs `ForwardContext::readout`.
  bool is_graph_level() const { return is_graph_level_; }
  /// A block attends over all pairs inside a graph: a forward pass needs `ForwardContext::complete`.
  bool uses_complete_mask() const { return uses_complete_mask_; }
  /// In a fixed order; pointers stay valid as long as the model.
  std::vector<autograd::Parameter*> parameters();
  /// Saved but not trained (running moments).
  std::vector<std::pair<std::string, Matrix*>> state();
  std::size_t parameter_count();

 private:
  void check_masks(const ForwardContext& context, std::size_t nodes) const;

  json::Value config_;
  ModelShape shape_;
  graph::FreezeOptions graph_options_;
  std::vector<std::unique_ptr<Block>> blocks_;
  bool is_graph_level_ = false;
  bool uses_complete_mask_ = false;
};

}  // namespace edgewise::nn
