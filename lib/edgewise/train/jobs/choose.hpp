#pragma once

#include "edgewise/train/jobs/run.hpp"

/// @file
/// `{"preset": "auto"}`: the model that suits the data.
namespace edgewise::train {

bool is_choice(const json::Value& model);

/// Trains the models that fit the data, each with the same split and seed, and gives the run of the one with the best
/// metric on the validation items; of equals the first. The test items have no part in it.
///
/// - Which: `models_to_compare`, or the networks of the member "candidates", by name or whole. Whole models of the
///   member "also" come first, in place of those of the same preset. Other members of the model go to all of them.
/// - What is not worth training to its end is given up early (progress_trace.hpp).
/// - Baselines run after them: contenders where they become models, else only reported.
/// - Where "training.correct_and_smooth" is "auto", each contender is also tried with that behind it.
/// - Where "training.label_input" is, the best network that looks at the edges of one graph is trained again with the
///   labels of neighbours as input, and a contender where that is ahead of all by half a standard error.
/// - Where whole graphs are asked about, it is the average (average.hpp) of all that the validation items do not tell
///   from the best, less than two standard errors behind it; unless that average is more than one behind it.
/// - On the nodes of one graph it is the average of the best network and the best of the other kinds where that is
///   better than each.
/// - An ensemble is made of each kind of model that was chosen, baselines excepted.
/// - Where no item validates, it is the default "gat".
///
/// Throws UsageError when no model fits the data, and what a model named in the configuration throws.
Run choose_model(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks = {});

}  // namespace edgewise::train
