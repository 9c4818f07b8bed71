#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/autograd/linear_attention.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"
#include "edgewise/nn/linear.hpp"

namespace edgewise::nn {

/// elu, sgformer.
std::vector<std::string> linear_kernel_names();

struct LinearAttentionOptions {
  int inputs = 0;
  int width = 0;  ///< Of each head.
  int heads = 1;
  autograd::LinearKernel kernel = autograd::LinearKernel::elu;
  bool causal = false;  ///< elu: a row sees itself and those before it in its graph.
  float dropout = 0;    ///< On the input.
  bool bias = true;     ///< In the projections to queries, keys and values.
  bool output_projection = false;
  MaskShape order = {.name = "readout"};

  int output_width() const { return heads * width; }
  friend bool operator==(const LinearAttentionOptions&, const LinearAttentionOptions&) = default;
};

std::span<const Field<LinearAttentionOptions>> linear_attention_fields();

/// Attention between all nodes of a graph at a cost that grows with their number: autograd::linear_attention on linear
/// maps of the input, heads side by side, then the output projection. In a step of a decoder (kept_rows.hpp) each row
/// reads what the rows that it follows have left, which needs `causal`.
///
/// Shapes: x [N, F]; W of query, key and value [F, H * D]; y [N, H * D]. Takes sparse input.
class LinearAttention : public Block {
 public:
  LinearAttention(const LinearAttentionOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {.reach = std::nullopt, .uses_attention = true}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  autograd::Variable step(ForwardContext& context, const std::array<autograd::Variable, kMaxMaps>& tables);

  std::string name_;
  LinearAttentionOptions options_;
  LinearMap query_;
  LinearMap key_;
  LinearMap value_;
  std::optional<LinearMap> output_;
};

/// {"type": "linear_attention", "width": 8 (of each head), "heads": 1, "kernel": "elu" | "sgformer", "causal": false,
///  "dropout": 0 (input), "bias": true, "output_projection": false}
std::unique_ptr<Block> make_linear_attention(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
