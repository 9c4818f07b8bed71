#pragma once

#include <memory>
#include <span>
#include <string>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

struct BatchNormOptions {
  int inputs = 0;
  float epsilon = 1e-5F;  ///< Added to the variance.
  float momentum = 0.1F;  ///< Share of the newest batch in the running moments, in (0, 1].

  friend bool operator==(const BatchNormOptions&, const BatchNormOptions&) = default;
};

std::span<const Field<BatchNormOptions>> batch_norm_fields();

/// Normalises each column to mean 0 and variance 1 over all nodes, then applies a learned gain and bias (Ioffe and
/// Szegedy 2015). Running moments are saved with the model and used in evaluation. Gain and bias have no weight decay.
class BatchNorm : public Block {
 public:
  BatchNorm(const BatchNormOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {.has_batch_moments = true}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override;

 private:
  std::string name_;
  BatchNormOptions options_;
  autograd::Parameter gain_;
  autograd::Parameter bias_;
  Matrix running_mean_;
  Matrix running_variance_;
};

/// {"type": "batch_norm", "epsilon": 1e-5, "momentum": 0.1}
std::unique_ptr<Block> make_batch_norm(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
