#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/io/safetensors.hpp"
#include "edgewise/train/loop/train_options.hpp"
#include "edgewise/train/loop/training_state.hpp"

namespace edgewise::train {

/// Additional content of a checkpoint, for callers of `fit`.
struct CheckpointNote {
  json::Value value;
  std::vector<io::Tensor> tensors;
};

/// Saves the complete training state as safetensors, atomically: "model.*", "adam.*", "average.*", "kept.*", the
/// tensors of the note as "note.*", and in the metadata under "checkpoint" the epoch, the schedule, the stopping rule,
/// the options and the value of the note. Throws NumericalError, and saves nothing, if a number of the state is not
/// finite.
void save_checkpoint(const std::string& path, TrainingState& state, const TrainOptions& options,
                     const CheckpointNote& note = {});

/// Saves a checkpoint with only the note: between two trainings there is no state.
void save_checkpoint(const std::string& path, const CheckpointNote& note);

/// Restores `state` from a checkpoint. Throws ModelError if the file is damaged (including non-finite numbers and
/// negative sums of squares), is not a checkpoint, or was made for another model or with other training options. The
/// number of epochs may differ, unless a cosine schedule spans all of them (`schedule.steps` 0): other epochs would be
/// another schedule.
void load_checkpoint(const std::string& path, TrainingState& state, const TrainOptions& options);

/// The node order that was used in training (TrainOptions::reorder, never "auto").
std::string read_checkpoint_order(const std::string& path);

/// Whether the file is a checkpoint.
bool is_checkpoint(const io::Safetensors& content);

/// The caller's note in a checkpoint, and how far training was.
struct CheckpointContent {
  CheckpointNote note;
  std::optional<std::int64_t> epoch;  ///< Of the training state to resume; nothing if there is none.
};

/// Throws ModelError if the file is damaged or is not a checkpoint.
CheckpointContent read_checkpoint(const std::string& path);

/// Throws ModelError, with the path of the member, if `saved` differs from `wanted`, the settings of the job that would
/// resume from `path`.
void check_same(const std::string& path, const json::Value& saved, const json::Value& wanted, const std::string& name);

}  // namespace edgewise::train
