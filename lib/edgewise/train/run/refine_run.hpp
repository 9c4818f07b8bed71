#pragma once

#include "edgewise/data/node_data.hpp"
#include "edgewise/train/model/refinement.hpp"
#include "edgewise/train/run/run.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Correct and Smooth as the last step of a run.
namespace edgewise::train {

/// Replaces the predictions of the run and its model by the refined ones.
void take_refinement(const data::Labels& labels, RefinedPredictions refined, Run& run);
/// Applies the best refinement, if the data allows any.
void refine_always(const Dataset& data, Run& run);

}  // namespace edgewise::train
