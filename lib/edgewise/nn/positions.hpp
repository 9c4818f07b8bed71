#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

/// Positional encodings: a row P[t] for the node at position t = 0, 1, ... in its graph.
enum class PositionKind {
  sinusoidal,  ///< P[t, 2 i] = sin(t / 10000^(2 i / F)), P[t, 2 i + 1] = cos of the same (Vaswani et al. 2017).
  learned,     ///< A parameter; positions from `longest` on share the last row.
  recurrent,   ///< The output of a long short-term memory without input after t + 1 steps.
  floater,     ///< The path of a learned flow (FLOATER, Liu et al. 2020); see autograd::flow_path.
};
std::vector<std::string> position_names();

struct PositionsOptions {
  int inputs = 0;
  PositionKind kind = PositionKind::sinusoidal;
  int longest = 512;  ///< learned: positions with a row of their own.
  int hidden = 64;    ///< floater: columns of the flow's hidden layer.
  float step = 0.1F;  ///< floater: time from one position to the next.
  MaskShape order = {.name = "readout"};

  friend bool operator==(const PositionsOptions&, const PositionsOptions&) = default;
};

std::span<const Field<PositionsOptions>> positions_fields();

/// y = x + P, the row for each node's position in its graph. Some texts put all sines before all cosines: a permutation
/// of the columns, which later linear maps absorb.
///
/// Shapes: x and y [N, F]. Needs dense input.
class Positions : public Block {
 public:
  Positions(const PositionsOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {.reach = std::nullopt}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  autograd::Variable rows(ForwardContext& context, Eigen::Index length);

  std::string name_;
  PositionsOptions options_;
  std::vector<autograd::Parameter> parameters_;
};

/// {"type": "positions", "kind": "sinusoidal" | "learned" | "recurrent" | "floater", "longest": 512, "hidden": 64,
///  "step": 0.1}
std::unique_ptr<Block> make_positions(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
