#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/nn/fields.hpp"
#include "edgewise/nn/readout_block.hpp"

namespace edgewise::nn {

/// The node set of the parts of graphs, with the weight of each as its row, and the mask from them to their nodes.
inline constexpr const char* kComponents = "components";
inline constexpr std::int64_t kMostParts = 1000;

struct ComponentsOptions {
  int count = 2;        ///< Parts of each graph.
  bool is_sum = false;  ///< Adds them up, instead of putting them side by side.

};

/// Reads out each part of a graph, such as the molecules of a mixture, by the same blocks, one of which is a readout:
/// with r[g,p] their row for part p of graph g, and w[g,p] the weight of that part,
///   y[g] = [w[g,1] r[g,1] | w[g,2] r[g,2] | ...], or the sum of w[g,p] r[g,p] over p, in order.
///
/// Shapes: x [N, F]; the rows of the node set "components" [P, 1] and r [P, C] of all P = graphs * count parts, those
/// of a graph one after the other; y [graphs, count * C], or [graphs, C]. A part without nodes has whatever the blocks
/// make of a graph without nodes, times its weight.
class Components : public ReadoutBlock {
 public:
  Components(std::string name, const ComponentsOptions& options, std::unique_ptr<Block> blocks)
      : name_(std::move(name)), options_(options), blocks_(std::move(blocks)) {}

  /// Throws ModelError if the pass has no parts of graphs, or not `count` of each.
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return blocks_->traits(); }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    blocks_->collect_parameters(parameters);
  }
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override { blocks_->collect_state(state); }

 private:
  NodeRows read_out_parts(ForwardContext& context, const NodeRows& input);

  std::string name_;
  ComponentsOptions options_;
  std::unique_ptr<Block> blocks_;
};

/// {"type": "components", "count": 2, "sum": false, "blocks": [{"type": "readout", "kind": "mean"}]}
std::unique_ptr<ReadoutBlock> make_components(const json::Value& config, BuildContext& context);
std::vector<json::FieldDoc> components_fields();

}  // namespace edgewise::nn
