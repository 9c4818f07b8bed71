#pragma once

#include <cstdint>
#include <vector>

#include "edgewise/nn/model.hpp"
#include "edgewise/optim/adam.hpp"
#include "edgewise/optim/schedule.hpp"
#include "edgewise/train/loop/early_stopping.hpp"
#include "edgewise/train/loop/train_options.hpp"

namespace edgewise::train {

/// A copy of a model's parameters and state (running moments).
class Weights {
 public:
  bool is_set() const { return !matrices_.empty(); }
  /// Allocates on first use only.
  void copy_from(nn::Model& model);
  void copy_to(nn::Model& model) const;
  void swap_with(nn::Model& model);
  /// Moves towards the model's weights: this = decay this + (1 - decay) model. Requires an earlier copy_from.
  void follow(nn::Model& model, double decay);
  /// Whether everything that would be copied from the model is finite.
  static bool are_finite(nn::Model& model);
  /// In the order of Model::parameters(), then Model::state().
  std::vector<Matrix>& matrices() { return matrices_; }

 private:
  std::vector<Matrix> matrices_;
};

/// Everything that changes between epochs: the content of a checkpoint. Random masks depend on the seed and the epoch
/// alone, so no generator state is saved.
struct TrainingState {
  TrainingState(nn::Model& trained_model, const TrainOptions& options);

  nn::Model& model;
  optim::Adam adam;
  optim::Schedule schedule;
  EarlyStopping stopping;
  Weights average;  ///< Running average; set if TrainOptions::average is not 0.
  Weights kept;
  std::int64_t epoch = 0;  ///< Completed epochs.
};

/// A copy of what training changes, apart from the kept weights and what follows validation: the schedule and the
/// stopping rule.
class StateCopy {
 public:
  void take(TrainingState& state);
  /// Requires `take`.
  void restore(TrainingState& state) const;

 private:
  Weights weights_;
  Weights average_;
  std::vector<Matrix> moments_;
  std::int64_t steps_ = 0;
  std::int64_t epoch_ = 0;
};

}  // namespace edgewise::train
