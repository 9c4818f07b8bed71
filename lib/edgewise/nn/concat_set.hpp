#pragma once

#include <memory>
#include <string>

#include "edgewise/nn/block.hpp"

namespace edgewise::nn {

/// The node set of what is known of each graph as a whole, one row a graph.
inline constexpr const char* kDescriptors = "descriptors";

/// What else is known of each row beside it: y = [x | rows of another node set], one for one. Behind a readout this is
/// how numbers that describe a graph as a whole, such as descriptors of a molecule, come in.
///
/// Shapes: x [N, C], the rows of the set [N, D], y [N, C + D]. Needs dense rows. No parameters.
class ConcatSet : public Block {
 public:
  ConcatSet(std::string set, const BuildContext& context) : name_(context.name), set_(std::move(set)) {}

  /// Throws ModelError when the set has not as many rows as x.
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  std::string name_;
  std::string set_;
};

/// {"type": "concat_set", "set": "descriptors"}
std::unique_ptr<Block> make_concat_set(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
