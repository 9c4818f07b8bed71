#pragma once

#include <memory>
#include <string>
#include <vector>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

/// The node set of features of whole graphs, one row per graph.
inline constexpr const char* kDescriptors = "descriptors";

/// Appends the rows of another node set to those of the input: y = [x | rows of the set]. After a readout, this adds
/// numbers that describe whole graphs, such as descriptors of a molecule.
///
/// Shapes: x [N, C], the rows of the set [N, D], y [N, C + D]. Needs dense rows. No parameters.
class ConcatSet : public Block {
 public:
  ConcatSet(std::string set, const BuildContext& context) : name_(context.name), set_(std::move(set)) {}

  /// Throws ModelError if the set has no rows in this pass, or not as many as x.
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {.reach = std::nullopt}; }
  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  std::string name_;
  std::string set_;
};

/// {"type": "concat_set", "set": "descriptors"}
std::unique_ptr<Block> make_concat_set(const json::Value& config, BuildContext& context);
std::vector<json::FieldDoc> concat_set_fields();

}  // namespace edgewise::nn
