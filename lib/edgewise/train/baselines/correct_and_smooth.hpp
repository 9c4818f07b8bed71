#pragma once

#include <cstdint>
#include <span>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::train {

struct CorrectAndSmoothOptions {
  double correction =
      0.8;                 ///< In [0, 1): the share of a node's error that comes from its neighbours; 0: no correction.
  double smoothing = 0.8;  ///< In [0, 1): likewise of its class.
  int iterations = 50;     ///< Of each.
};

/// Throws UsageError for options out of range.
void check(const CorrectAndSmoothOptions& options);

/// Correct and Smooth (Huang et al. 2021, "Combining Label Propagation and Simple Models Out-performs Graph Neural
/// Networks", section 2, with "autoscale"), behind any model of the classes of nodes. What the model got wrong on nodes
/// with a known class spreads along the edges and is taken off; then the classes spread, those known as they are.
/// With S = D^-1/2 A D^-1/2 over ties in both directions, weights where there are any:
///
///     E <- a S E + (1 - a) E0, entries in [-1, 1];   E0 = Y - Z in known rows, else 0
///     Z_i <- Z_i + (mean |E0 row|_1 / |E_i|_1) E_i   (factor 1 where it is above 1000)
///     H <- b S H + (1 - b) H0, entries in [0, 1];    H0 = Y in known rows, else Z
///
/// `probabilities` is [nodes, classes], `known` the class of each node, -1 where it is not known. Rows of the result
/// sum to 1. Same bits at any number of threads. Throws UsageError for shapes that differ and options out of range,
/// DataError for a negative weight.
Matrix correct_and_smooth(const graph::Graph& graph, ConstMatrixRef probabilities, std::span<const std::int32_t> known,
                          const CorrectAndSmoothOptions& options = {});

}  // namespace edgewise::train
