#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/readout_block.hpp"

namespace edgewise::nn {

struct AttentionReadoutOptions {
  int inputs = 0;
  int heads = 1;
  int width = 0;   ///< Of each head of the value; 0: the value is the input, split between the heads.
  int hidden = 0;  ///< Of the gate; 0: the gate is one linear map.
  Activation activation = Activation::relu;  ///< Of the gate.
  float attention_dropout = 0;
  attention::Normaliser normaliser = attention::Normaliser::softmax;

  int output_width() const { return width > 0 ? heads * width : inputs; }
  friend bool operator==(const AttentionReadoutOptions&, const AttentionReadoutOptions&) = default;
};

std::span<const Field<AttentionReadoutOptions>> attention_readout_fields();

/// Gated attention pooling (Li et al. 2016, eq. 7; AttentionalAggregation of PyTorch Geometric), one row per graph.
/// With u over the nodes of graph g, for each head h,
///   score[u, h] = gate(x[u])[h],   gate(x) = x W_g, or with "hidden" activation(x W_1 + b_1) W_g
///   y[g, h]     = sum over u of softmax_u(score) value[u, h],   value = x, or with "width" x W_v + b_v
/// The columns of the value are divided between the heads.
///
/// Shapes: x [N, C]; W_1 [C, hidden]; W_g [C or hidden, H]; W_v [C, H*D]; y [graphs, C] or [graphs, H*D]. The gate has
/// no final bias, which a softmax would cancel. A graph without nodes gives zeros.
class AttentionReadout : public ReadoutBlock {
 public:
  AttentionReadout(const AttentionReadoutOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {.reach = std::nullopt}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  std::string name_;
  AttentionReadoutOptions options_;
  std::optional<LinearMap> hidden_;
  std::optional<LinearMap> gate_;
  std::optional<LinearMap> value_;
};

/// {"type": "attention_readout", "heads": 1, "width": (of each head of the value), "hidden": (of the gate),
///  "activation": "relu" (of the gate), "attention_dropout": 0, "normaliser": "softmax"}
std::unique_ptr<ReadoutBlock> make_attention_readout(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
