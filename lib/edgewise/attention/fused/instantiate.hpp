#pragma once

#include "edgewise/attention/fused/driver/driver.hpp"
#include "edgewise/attention/fused/instances.hpp"
#include "edgewise/attention/fused/passes/passes.hpp"
#include "edgewise/attention/normalisers/all.hpp"

namespace edgewise::attention::fused {

/// The kernels of a score with a normaliser.
template <class Score, class Normaliser>
struct KernelsOf {
  static Passes<Score> passes(const Tables& tables) {
    return {kSteps<Score, Normaliser>, Score(tables.score, tables.width)};
  }
  static void forward(const graph::FrozenGraph& mask, const Tables& tables, float* output, float* row_statistics,
                      Workspace& workspace) {
    attend(passes(tables), mask, tables, output, row_statistics, workspace);
  }
  static void backward(const graph::FrozenGraph& mask, const Tables& tables, const float* output,
                       const float* output_gradient, const float* row_statistics, const TableGradients& gradients,
                       Workspace& workspace) {
    differentiate(passes(tables), mask, tables, output, output_gradient, row_statistics, gradients, workspace);
  }
  static void weights(const graph::FrozenGraph& mask, const Tables& tables, const float* row_statistics, float* weights,
                      Workspace& workspace) {
    weigh(passes(tables), mask, tables, row_statistics, weights, workspace);
  }
};

template <class Score>
std::vector<Kernels> drivers() {
  return []<class... Normaliser>(PolicyList<Normaliser...>) {
    return std::vector<Kernels>{{&KernelsOf<Score, Normaliser>::forward, &KernelsOf<Score, Normaliser>::backward,
                                 &KernelsOf<Score, Normaliser>::weights}...};
  }(Normalisers());
}

}  // namespace edgewise::attention::fused
