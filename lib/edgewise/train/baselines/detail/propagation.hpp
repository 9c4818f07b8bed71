#pragma once

#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/train/baselines/propagation_options.hpp"

/// @file
/// The iteration shared by label propagation and Correct and Smooth: each node's row from those of its neighbours.
namespace edgewise::train::detail {

/// The neighbours of each node in both directions, without self loops, with normalised weights.
struct Ties {
  graph::Csr csr;
  std::vector<float> weights;
  std::vector<double> strength;  ///< Sum of each row's weights before normalisation.
};

/// Weights divided by the row's strength (`clamped`), or by the square roots of both strengths (`spreading`). Throws
/// DataError for a negative weight.
Ties normalised_ties(const graph::Graph& graph, Propagation rule, bool use_weights);

/// Bounds of the entries after each step.
struct Bounds {
  float low;
  float high;
};

/// Runs `options.iterations` steps from `seeds` by the rule, or stops once no entry changes by more than the tolerance.
/// With the rule `clamped` the rows in `is_seed` stay fixed. Bitwise identical at any number of threads.
Matrix propagate(const Ties& ties, const Matrix& seeds, const std::vector<bool>& is_seed,
                 const LabelPropagationOptions& options, const Bounds* bounds = nullptr);

}  // namespace edgewise::train::detail
