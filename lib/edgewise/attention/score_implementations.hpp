#pragma once

#include <memory>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::attention {

class Implementation;
struct AttentionInputs;
struct Kernels;

enum class Purpose { inference, training };

/// The implementations of a score with one normaliser.
struct ScoreImplementations {
  using Make = std::unique_ptr<Implementation> (*)(const graph::FrozenGraph& mask, const AttentionInputs& inputs,
                                                   Purpose purpose);

  const Kernels* fused;
  Make gather_scatter;
  Make dense_masked;
  Make dense_tiled;
};

}  // namespace edgewise::attention
