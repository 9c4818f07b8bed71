#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"

/// @file
/// Hyperparameter search by successive halving.
namespace edgewise::train {

/// One configuration of a search.
struct Trial {
  std::int64_t number = 0;
  json::Value settings;  ///< Overrides of the configuration: {"model": {...}, "training": {...}}.
};

/// A trial trained for at most this many epochs.
struct TuningStep {
  Trial trial;
  std::int64_t epochs = 0;
  double validation = std::numeric_limits<double>::quiet_NaN();  ///< NaN if it could not be trained.
  double seconds = 0;
};

struct TuningOptions {
  std::vector<std::string> models;  ///< Presets to choose from.
  std::int64_t epochs = 1000;       ///< For a trial that reaches the last rung.
  std::string metric;               ///< On the validation items.
  std::uint64_t seed = 0;
  bool is_graph_level = false;
  std::int64_t brackets = std::numeric_limits<std::int64_t>::max();
  bool starts_with_choice = false;  ///< Trial 0 is the automatic choice, without settings.
};

/// The first trials are the automatic choice, if the search starts with it, and the models with default settings, one
/// after the other; the settings of the others are drawn, keyed by (seed, number).
Trial make_trial(const TuningOptions& options, std::int64_t number);

/// Trains a trial for at most this many epochs. Returning nothing ends the search.
using TryTrial = std::function<std::optional<TuningStep>(const Trial& trial, std::int64_t epochs)>;

/// Successive halving (Jamieson and Talwalkar 2016, figure 2, keeping a third instead of a half), bracket after
/// bracket: all trials of a bracket get a ninth of the epochs, the best third of them a third, and the best third of
/// these all epochs, each time from scratch. An automatic choice comes before them, with all epochs. The first bracket
/// has the default models, each other bracket 9 drawn trials. Trials and their order do not depend on time; only how
/// far the search gets does. Returns the steps in order.
std::vector<TuningStep> tune(const TuningOptions& options, const TryTrial& try_trial);

/// The best of the steps with the most epochs; nullptr if nothing could be trained.
const TuningStep* best_step(const std::vector<TuningStep>& steps, const std::string& metric);

}  // namespace edgewise::train
