#pragma once

#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/io/safetensors.hpp"
#include "edgewise/train/loop/train_options.hpp"
#include "edgewise/train/loop/training_state.hpp"

namespace edgewise::train {

/// What a checkpoint keeps for those who call `fit`.
struct CheckpointNote {
  json::Value value;
  std::vector<io::Tensor> tensors;
};

/// Saves all that training needs to go on, as safetensors, whole or not at all: "model.*", "adam.*", "average.*",
/// "kept.*", the tensors of the note as "note.*", and in the metadata under "checkpoint" the epoch, the schedule, the
/// stopping rule, the options and the value of the note. Throws NumericalError when a number of the state is not
/// finite: such a state is not saved.
void save_checkpoint(const std::string& path, TrainingState& state, const TrainOptions& options,
                     const CheckpointNote& note = {});

/// Saves a checkpoint of the note alone: between two trainings there is no state.
void save_checkpoint(const std::string& path, const CheckpointNote& note);

/// Brings `state` to where the checkpoint was. Throws ModelError when the file is damaged (also by numbers that are not
/// finite, or negative where they are sums of squares), is no checkpoint, was made
/// for another model, or with other training options (more epochs are allowed).
void load_checkpoint(const std::string& path, TrainingState& state, const TrainOptions& options);

/// The order of the nodes that a checkpoint was trained in (TrainOptions::reorder, never "auto").
std::string read_checkpoint_order(const std::string& path);

/// The caller's note in a checkpoint, and whether there is a state of training to go on from.
struct CheckpointContent {
  CheckpointNote note;
  bool has_state = false;
};

/// Throws ModelError when the file is damaged or is no checkpoint.
CheckpointContent read_checkpoint(const std::string& path);

/// Throws ModelError, with the path of the member, when `saved` is not what the job has that would go on from `path`.
void check_same(const std::string& path, const json::Value& saved, const json::Value& wanted, const std::string& name);

}  // namespace edgewise::train
