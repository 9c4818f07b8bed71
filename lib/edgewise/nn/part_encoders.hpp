#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/nn/components.hpp"

namespace edgewise::nn {

/// Blocks of its own for each part of a graph (see components.hpp), such as an encoder for solutes and another one for
/// solvents: y[i] = f_p(x)[i] for a node i in part p of its graph, where f_p are the blocks of part p. As parts have no
/// edges between them, f_p follows those of its own nodes; all of them go over all nodes, which costs `count` times as
/// much as one.
///
/// Shapes: x [N, C]; y [N, width of the blocks]. Takes sparse input if the first block does.
class PartEncoders : public Block {
 public:
  /// One encoder for each part, all of one width.
  PartEncoders(std::string name, std::vector<std::unique_ptr<Block>> encoders)
      : name_(std::move(name)), encoders_(std::move(encoders)) {}

  /// Throws ModelError if the pass has no parts of graphs. Attention is recorded as that of one encoder: the weights of
  /// a node are those of its part's.
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return encoders_.front()->traits(); }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;
  void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) override;

 private:
  std::string name_;
  std::vector<std::unique_ptr<Block>> encoders_;
};

/// {"type": "part_encoders", "count": 2, "blocks": [{"type": "gatv2", ...}]}
std::unique_ptr<Block> make_part_encoders(const json::Value& config, BuildContext& context);
std::vector<json::FieldDoc> part_encoders_fields();

}  // namespace edgewise::nn
