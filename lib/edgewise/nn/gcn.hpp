#pragma once

#include <memory>
#include <span>
#include <string>

#include "edgewise/nn/attention_parts.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

struct GcnOptions {
  int inputs = 0;
  int width = 0;  ///< Columns of the output.
  MaskShape mask = {.name = "edges"};
  float dropout = 0;  ///< On the input.
  bool bias = true;
  Residual residual = Residual::none;
  bool edge_weights = false;  ///< The first edge feature is the weight of an edge.
  Activation activation = Activation::none;

  friend bool operator==(const GcnOptions&, const GcnOptions&) = default;
};

std::span<const Field<GcnOptions>> gcn_fields();

/// Graph convolution (Kipf and Welling 2017): no attention, fixed weights.
///   y[v] = sum over u -> v of w[u->v] / sqrt(d[u] d[v]) (x W)[u] + bias, d[v] = sum over u -> v of w[u->v],
/// followed by residual and activation. w is 1 or, with "edge_weights", the first edge feature (1 for an added self
/// loop). The self loops of the paper are part of the graph: give the model {"graph": {"self_loops": true}}, as the
/// preset does.
///
/// Shapes: x [N, F], W [F, width], y [N, width]. Takes sparse input. A node whose weights sum to 0 (or less) gets
/// zeros, the bias and its residual, never NaN.
class Gcn : public Block {
 public:
  Gcn(const GcnOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override;
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  std::string name_;
  GcnOptions options_;
  autograd::Parameter weight_;
  AttentionTail tail_;
};

/// {"type": "gcn", "width": 64, "dropout": 0 (input), "bias": true, "residual": false | true | "projection",
///  "edge_weights": false, "activation": "none"}
std::unique_ptr<Block> make_gcn(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
