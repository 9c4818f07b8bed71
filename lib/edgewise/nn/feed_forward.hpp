#pragma once

#include <memory>
#include <span>

#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"
#include "edgewise/nn/linear.hpp"

namespace edgewise::nn {

struct FeedForwardOptions {
  int inputs = 0;
  int hidden = 0;  ///< Columns between the two maps.
  int width = 0;   ///< Columns of the output; 0: as many as the input has.
  Activation activation = Activation::gelu;
  float dropout = 0;  ///< After the activation.

  int output_width() const { return width > 0 ? width : inputs; }
  friend bool operator==(const FeedForwardOptions&, const FeedForwardOptions&) = default;
};

std::span<const Field<FeedForwardOptions>> feed_forward_fields();

/// Two linear maps with an activation between them, applied to each node separately (Vaswani et al. 2017, eq. 2):
///   y = dropout(activation(x W_1 + b_1)) W_2 + b_2
///
/// Shapes: x [N, inputs], W_1 [inputs, hidden], W_2 [hidden, width], y [N, width]. Takes sparse input.
class FeedForward : public Block {
 public:
  FeedForward(const FeedForwardOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  FeedForwardOptions options_;
  LinearMap first_;
  LinearMap second_;
};

/// {"type": "feed_forward", "hidden": 128, "width": (that of the input), "activation": "gelu", "dropout": 0}
std::unique_ptr<Block> make_feed_forward(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
