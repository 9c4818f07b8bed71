#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/nn/attention_parts.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/edges.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

/// What is made of the neighbours.
enum class Aggregate { mean, sum };

std::vector<std::string> aggregate_names();

/// A weight for each slot with which a sum along the edges is that, or an estimate of it; valid as long as the tape's
/// record.
const float* slot_weights(Aggregate aggregate, autograd::Tape& tape, const Edges& edges);

struct SageOptions {
  int inputs = 0;
  int width = 0;  ///< Columns of the output.
  MaskShape mask = {.name = "edges"};
  float dropout = 0;  ///< On the input.
  bool bias = true;
  Aggregate aggregate = Aggregate::mean;
  bool root = true;  ///< Add a map of the node itself.
  Activation activation = Activation::none;

  friend bool operator==(const SageOptions&, const SageOptions&) = default;
};

std::span<const Field<SageOptions>> sage_fields();

/// Mean of the neighbours (GraphSAGE, Hamilton et al. 2017): attention with all weights equal.
///   y[v] = mean over u -> v of (x W)[u] + bias + x[v] W_root, activation,
/// or their sum.
///
/// Shapes: x [N, F], W and W_root [F, width], y [N, width]. Takes sparse input. A node without neighbours has a mean of
/// zeros.
class Sage : public Block {
 public:
  Sage(const SageOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override;
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  std::string name_;
  SageOptions options_;
  autograd::Parameter weight_;
  AttentionTail tail_;  // its residual is the root term
};

/// {"type": "sage", "width": 64, "dropout": 0 (input), "bias": true, "root": true (the last term),
///  "aggregate": "mean", "activation": "none"}
std::unique_ptr<Block> make_sage(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
