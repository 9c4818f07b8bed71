#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/choose/comparison.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/run/choice.hpp"
#include "edgewise/train/run/run.hpp"

/// @file
/// How far an automatic choice is, and its checkpoint.
namespace edgewise::train {

/// What a choice has found after some of its steps. A step tries a model, or one of the models in another way. Members
/// only grow from step to step, but for the leader and the runs that are let go.
struct ChoiceState {
  std::size_t steps = 0;
  double work = 0;
  Choice choice;
  std::vector<Contender> contenders;
  std::vector<ModelConfig> models;  ///< Of the contenders.
  std::vector<double> costs;        ///< Of the contenders: the work of their training.
  /// Of the contenders, in as far as they have one; empty for those that can no longer be kept.
  std::vector<std::optional<Run>> runs;
  std::vector<std::string> notes;
  std::vector<std::string> left_out;  ///< Models for which there was no time.
  json::Value leader;                 ///< ProgressTrace::state of the best model so far; null if there is none.
};

/// A state, without what has been added to it since.
struct ChoiceCursor {
  std::size_t steps = 0;
  double work = 0;
  std::size_t candidates = 0;
  std::size_t contenders = 0;
  std::size_t notes = 0;
  std::size_t left_out = 0;
  json::Value leader;
};

ChoiceCursor mark_of(const ChoiceState& state);

/// Adds the state at `mark` to the note of a checkpoint.
void save_choice(ChoiceState& state, const ChoiceCursor& mark, const Dataset& data, CheckpointNote& note);

/// The state in the checkpoint `path`, whose runs have this split. Throws UsageError if the checkpoint is of one model,
/// ModelError if it is damaged or does not suit the data. That the job is the same has been checked (see RunSet).
ChoiceState restore_choice(const std::string& path, const Config& config, const Dataset& data,
                           const data::Split& split);

}  // namespace edgewise::train
