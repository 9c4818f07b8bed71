#pragma once

#include "edgewise/train/run/job_hooks.hpp"
#include "edgewise/train/run/run.hpp"

/// @file
/// `{"preset": "auto"}`: automatic model selection.
namespace edgewise::train {

/// Trains the models that fit the data, each with the same split and seed, and returns the run of the one with the best
/// metric on the validation items, the first in case of a tie. The test items play no part.
///
/// - Candidates: `models_to_compare`, or the networks in the member "candidates", by name or in full. Full models in
///   the member "also" come first and replace those of the same preset. Other members of the model apply to all of
///   them.
/// - Models not worth training to the end are given up early (progress_trace.hpp).
/// - Baselines run after them. They compete if they become models; otherwise they are only reported.
/// - If "training.correct_and_smooth" is "auto", each contender is also tried with Correct and Smooth.
/// - If "training.label_input" is "auto", the best network that uses the edges of one graph is trained again with
///   neighbour labels as input. It competes if it leads all others by half a standard error.
/// - If whole graphs have the labels, the result is the average (average.hpp) of all models that the validation items
///   cannot distinguish from the best, those less than two standard errors behind it; the last of them are left out
///   while the average is clearly behind the best alone. For ties it is the best.
/// - On the nodes of one graph the result is the average of the best network and the best of the other kinds, if it is
///   better than each.
/// - Each chosen kind of model becomes an ensemble, except baselines.
/// - Without validation items the candidate "gat", "gatv2" or "attention" is used (the first that there is), else the
///   first candidate.
///
/// Throws UsageError if no model fits the data, and whatever a model named in the configuration throws.
Run choose_model(const Config& config, const Dataset& data, std::int64_t run, const JobHooks& hooks = {});

}  // namespace edgewise::train
