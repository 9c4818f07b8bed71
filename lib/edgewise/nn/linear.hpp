#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "edgewise/autograd/linear.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

/// y = x W + b, a part of most blocks. W [inputs, outputs] (Glorot), b [1, outputs] (zeros) if there is one.
class LinearMap {
 public:
  enum class Bias { no, yes };
  /// Parameters "<block>.<prefix>weight" and "<block>.<prefix>bias".
  LinearMap(BuildContext& context, const std::string& prefix, int inputs, int outputs, Bias bias);

  autograd::Variable operator()(ForwardContext& context, const NodeRows& input);
  autograd::LinearFactor factor(ForwardContext& context);
  void collect_parameters(std::vector<autograd::Parameter*>& parameters);
  autograd::Parameter& weight() { return weight_; }

 private:
  autograd::Parameter weight_;
  std::optional<autograd::Parameter> bias_;
};

/// Up to `kMaxMaps` maps of the same input, for dense rows in one pass. Results after the last map are unset.
std::array<autograd::Variable, kMaxMaps> map_each(ForwardContext& context, const NodeRows& input,
                                                   std::initializer_list<LinearMap*> maps);

struct LinearOptions {
  int inputs = 0;
  int width = 0;  ///< Columns of the output.
  bool bias = true;
  bool tied = false;  ///< W is the transpose of the first linear block's, which maps tokens to these inputs.

  friend bool operator==(const LinearOptions&, const LinearOptions&) = default;
};

std::span<const Field<LinearOptions>> linear_fields();

/// y = x W + b for each node, [N, inputs] -> [N, width]. Takes sparse input.
class Linear : public Block {
 public:
  Linear(const LinearOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;
  autograd::Parameter& weight() { return map_.weight(); }

 private:
  LinearMap map_;
};

/// {"type": "linear", "width": 64, "bias": true, "tied": false}
std::unique_ptr<Block> make_linear(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
