#pragma once

#include <vector>

#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/train/baselines/label_propagation.hpp"

/// @file
/// What label propagation, and Correct and Smooth, do over and over: each node's row from those of its neighbours.
namespace edgewise::train::detail {

/// The neighbours of each node in both directions, without self loops, with normalised weights.
struct Ties {
  graph::Csr csr;
  std::vector<float> weights;
  std::vector<double> strength;  ///< Sum of the weights of each row, before they were normalised.
};

/// Weights divided by the row's strength (`clamped`), or by the root of both strengths (`spreading`). Throws DataError
/// for a negative weight.
Ties normalised_ties(const graph::Graph& graph, Propagation rule, bool use_weights);

/// Bounds of the entries after each step.
struct Bounds {
  float low;
  float high;
};

/// `options.iterations` steps from `seeds` by the rule, or until no entry changes by more than the tolerance. With the
/// rule `clamped` the rows of `is_seed` stay. Same bits at any number of threads.
Matrix propagate(const Ties& ties, const Matrix& seeds, const std::vector<bool>& is_seed,
                 const LabelPropagationOptions& options, const Bounds* bounds = nullptr);

}  // namespace edgewise::train::detail
