#pragma once

#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/train/loop/train_options.hpp"
#include "edgewise/train/loop/training_state.hpp"

namespace edgewise::train {

/// Saves all that training needs to go on, as safetensors, whole or not at all: "model.*", "adam.*", "average.*", "kept.*" and in
/// the metadata under "checkpoint" the epoch, the schedule, the stopping rule and the options. `note` is the caller's.
/// Throws NumericalError when a number is not finite: such a state is not saved.
void save_checkpoint(const std::string& path, TrainingState& state, const TrainOptions& options,
                     const json::Value& note = {});

/// Brings `state` to where the checkpoint was. Throws ModelError when the file is damaged (also by numbers that are not
/// finite, or negative where they are sums of squares), is no checkpoint, was made
/// for another model, or with other training options (more epochs are allowed).
void load_checkpoint(const std::string& path, TrainingState& state, const TrainOptions& options);

/// The order of the nodes that a checkpoint was trained in (TrainOptions::reorder, never "auto").
std::string read_checkpoint_order(const std::string& path);

/// The caller's note in a checkpoint.
json::Value read_checkpoint_note(const std::string& path);

}  // namespace edgewise::train
