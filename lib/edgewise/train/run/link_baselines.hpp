#pragma once

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/run/run.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// One run of a baseline for ties, whose split `run` holds. It becomes a model of the numbers of a pair alone:
/// - a heuristic, such as "adamic_adar" or "matrix_factors": a logistic regression of this one number, which keeps
///   its order;
/// - "link_trees": boosted trees on all numbers, which rank a tie before pairs without one; a logistic regression makes
///   their output a probability.
/// Ties of the training are seen without themselves, beside pairs without a tie. Throws UsageError for another model.
void run_link_baseline(const Config& config, const Dataset& data, const FitHooks& hooks, Run& run);

}  // namespace edgewise::train
