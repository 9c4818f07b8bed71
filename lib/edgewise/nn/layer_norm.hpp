#pragma once

#include <memory>
#include <span>
#include <string>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

struct LayerNormOptions {
  int inputs = 0;
  float epsilon = 1e-5F;  ///< Added to the variance.

  friend bool operator==(const LayerNormOptions&, const LayerNormOptions&) = default;
};

std::span<const Field<LayerNormOptions>> layer_norm_fields();

/// Normalises each node's row to mean 0 and variance 1, then applies a learned gain and bias per column (Ba et al.
/// 2016). Gain and bias have no weight decay.
class LayerNorm : public Block {
 public:
  LayerNorm(const LayerNormOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  std::string name_;
  autograd::Parameter gain_;
  autograd::Parameter bias_;
  float epsilon_;
};

/// {"type": "layer_norm", "epsilon": 1e-5}
std::unique_ptr<Block> make_layer_norm(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
