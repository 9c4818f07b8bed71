#pragma once

#include <string>

#include "edgewise/train/choose/choice_state.hpp"
#include "edgewise/train/choose/comparison.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Which of the models that were tried are kept. `sample` is of the validation items.
namespace edgewise::train {

/// Whether an addition to a model, with the metric `value` after `plain`, improves it by more than half a standard
/// error.
bool pays(const std::string& metric, double value, double plain, const Sample& sample);

/// The metric of the best contender.
double best_value(const ChoiceState& state);

/// What to keep. Predictions for whole graphs are averaged over the indistinguishable models, as long as the average is
/// not behind the best of them by more than half a standard error on the validation items, which helps on all such data
/// sets tried. On the nodes of one graph it helps on some and hurts on others (docs/benchmarks/accuracy.md, "Averages
/// of models"): there it is the best network with the best of other kinds, or one model. For ties it is the best model.
Kept to_keep(const ChoiceState& state, const Dataset& data, const Sample& sample);

/// Lets go of the runs that can no longer be kept.
void drop_losers(ChoiceState& state, const Dataset& data, const Sample& sample);

}  // namespace edgewise::train
