#pragma once

#include "edgewise/train/jobs/run.hpp"

/// @file
/// `{"preset": "auto"}`: the model that suits the data.
namespace edgewise::train {

bool is_choice(const json::Value& model);

/// Trains the models that fit the data (`models_to_compare`, or those of the member "candidates": names or whole
/// models), each with the same split and seed, and gives the run of the one with the best metric on the validation
/// items; of equals the first. Whole models of the member "also" take the places of those of the same preset, or follow.
/// Other members of the model go to all of them. At an eighth, a quarter and a half of the epochs (of 1000 at most) a
/// model that is more than 3 standard errors behind what the best so far had by then is given up. The test items have
/// no part in it. Where "training.correct_and_smooth" is "auto", each model is also tried with that behind it. Baselines
/// are run beside them and reported: they cannot be kept. An ensemble is made of the model that was chosen. Where no item
/// validates, it is the default "gat".
/// Throws UsageError when no model fits the data, and what a model named in the configuration throws.
Run choose_model(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks = {});

}  // namespace edgewise::train
