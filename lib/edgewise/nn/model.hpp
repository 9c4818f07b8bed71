#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// Widths a model is made for; they come from the data.
struct ModelShape {
  int inputs = 0;         ///< Node feature columns.
  int outputs = 0;        ///< Logits or targets a node.
  int edge_features = 0;  ///< Columns of FrozenGraph::edge_features.
};

/// A list of blocks built from JSON, `{"graph": {...}, "blocks": [...]}` or a preset `{"preset": "gat", ...}`, which
/// is expanded. See docs/models.md.
class Model {
 public:
  /// Throws UsageError naming the member of `config` that is wrong. Parameters are drawn from `seed`.
  Model(const json::Value& config, const ModelShape& shape, std::uint64_t seed);

  /// Logits or scaled targets, [nodes, outputs].
  autograd::Variable forward(ForwardContext& context, const Signal& input);

  /// The expanded configuration, from which an equal model can be made.
  const json::Value& config() const { return config_; }
  const ModelShape& shape() const { return shape_; }
  /// How the graph is to be frozen for this model (direction, self loops, weights as features).
  const graph::FreezeOptions& graph_options() const { return graph_options_; }
  std::vector<autograd::Parameter*> parameters();
  /// Saved but not trained (running moments).
  std::vector<std::pair<std::string, Matrix*>> state();
  std::size_t parameter_count();

 private:
  json::Value config_;
  ModelShape shape_;
  graph::FreezeOptions graph_options_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace edgewise::nn
