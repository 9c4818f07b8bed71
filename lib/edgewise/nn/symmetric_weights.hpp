#pragma once

#include <string>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/edges.hpp"

namespace edgewise::nn {

/// w[u -> v] / sqrt(d[u] d[v]) for each slot, where d[v] is the sum of w over the in-edges of v (Kipf and Welling 2017,
/// eq. 2; self loops are up to the graph). With `has_edge_weights`, w is the first edge feature, but 1 for added self
/// loops; otherwise it is 1. In a sample, degrees are those in the whole graph, and the importance of a slot is a
/// factor. [slots, 1], a constant on the tape; zero if a degree is not positive. Throws UsageError for a mask between
/// two node sets.
autograd::Variable symmetric_weights(autograd::Tape& tape, const Edges& edges, bool has_edge_weights);

/// Steps along the same mask, or along those of a sample, with `symmetric_weights` times `factor`. Those of a mask are
/// made once.
class SymmetricSteps {
 public:
  SymmetricSteps(const MaskShape& mask, bool has_edge_weights, float factor, const std::string& block)
      : mask_(mask), has_edge_weights_(has_edge_weights), factor_(factor), block_(block) {}

  struct Step {
    Edges edges;
    autograd::Variable weights;
  };
  Step next(ForwardContext& context);

 private:
  const MaskShape& mask_;
  bool has_edge_weights_;
  float factor_;
  const std::string& block_;
  const graph::FrozenGraph* last_ = nullptr;
  autograd::Variable weights_;
};

/// Throws UsageError for "edge_weights" over a mask without features.
void check_edge_weights(const json::Value& config, const MaskShape& mask);

}  // namespace edgewise::nn
