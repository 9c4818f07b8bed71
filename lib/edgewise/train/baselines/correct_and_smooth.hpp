#pragma once

#include <cstdint>
#include <span>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::train {

struct CorrectAndSmoothOptions {
  double correction =
      0.8;                 ///< In [0, 1): share of a node's error taken from its neighbours; 0: no correction.
  double smoothing = 0.8;  ///< In [0, 1): the same for its class.
  int iterations = 50;     ///< Iterations of each step.
};

/// Throws UsageError for options out of range.
void check(const CorrectAndSmoothOptions& options);

/// Correct and Smooth (Huang et al. 2021, "Combining Label Propagation and Simple Models Out-performs Graph Neural
/// Networks", section 2, with "autoscale"), applied to any model that classifies nodes. The model's errors on nodes
/// with a known class are spread along the edges and subtracted. Then the classes are spread, starting from the known
/// ones. With S = D^-1/2 A D^-1/2 over edges in both directions, weighted if there are weights:
///
///     E <- a S E + (1 - a) E0, entries in [-1, 1];   E0 = Y - Z in known rows, else 0
///     Z_i <- Z_i + (mean |E0 row|_1 / |E_i|_1) E_i   (factor 1 where it is above 1000)
///     H <- b S H + (1 - b) H0, entries in [0, 1];    H0 = Y in known rows, else Z
///
/// `probabilities` is [nodes, classes], `known` the class of each node, -1 if unknown. Rows of the result sum to 1.
/// Bitwise identical at any number of threads. Throws UsageError for mismatched shapes and options out of range,
/// DataError for a negative weight.
Matrix correct_and_smooth(const graph::Graph& graph, ConstMatrixRef probabilities, std::span<const std::int32_t> known,
                          const CorrectAndSmoothOptions& options = {});

}  // namespace edgewise::train
