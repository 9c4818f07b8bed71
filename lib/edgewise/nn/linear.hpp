#pragma once

#include <memory>
#include <optional>
#include <string>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// y = x W + b: the piece that blocks are made of. W [inputs, outputs] (Glorot), b [1, outputs] (zeros) if wanted.
class LinearMap {
 public:
  enum class Bias { no, yes };
  /// Parameters "<block>.<prefix>weight" and "<block>.<prefix>bias".
  LinearMap(BuildContext& context, const std::string& prefix, int inputs, int outputs, Bias bias);

  autograd::Variable operator()(ForwardContext& context, const NodeRows& input);
  void collect_parameters(std::vector<autograd::Parameter*>& parameters);

 private:
  autograd::Parameter weight_;
  std::optional<autograd::Parameter> bias_;
};

/// {"type": "linear", "width": 64, "bias": true}: y = x W + b for each node, [N, inputs] -> [N, width]. Takes sparse
/// input.
std::unique_ptr<Block> make_linear(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
