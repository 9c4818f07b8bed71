#pragma once

#include <memory>
#include <vector>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

/// y = sum over the branches of branch(x), such as local and global attention in GPS (Rampasek et al. 2022, eq. 4).
///
/// Shapes: x [N, C]; y [N, width of every branch]. Either all branches end in a readout or none does. Takes sparse
/// input if the first block of every branch does.
class Parallel : public Block {
 public:
  /// At least one branch.
  Parallel(std::vector<std::unique_ptr<Block>> branches, const BuildContext& context)
      : name_(context.name), branches_(std::move(branches)) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override;
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override;

 private:
  std::string name_;
  std::vector<std::unique_ptr<Block>> branches_;
};

/// {"type": "parallel", "branches": [[{"type": "gatv2", ...}], [{"type": "dot_product", "mask": "complete", ...}]]}
std::unique_ptr<Block> make_parallel(const json::Value& config, BuildContext& context);
std::vector<json::FieldDoc> parallel_fields();

}  // namespace edgewise::nn
