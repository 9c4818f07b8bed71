#include "edgewise/train/loop/training_state.hpp"

#include <algorithm>

namespace edgewise::train {
namespace {

std::vector<Matrix*> matrices_of(nn::Model& model) {
  std::vector<Matrix*> matrices;
  for (autograd::Parameter* parameter : model.parameters()) matrices.push_back(&parameter->value);
  for (const auto& [name, matrix] : model.state()) matrices.push_back(matrix);
  return matrices;
}

optim::AdamOptions adam_options(const TrainOptions& options) {
  return {.learning_rate = options.learning_rate,
          .weight_decay = options.weight_decay,
          .decay = options.optimiser == "adamw" ? optim::WeightDecay::decoupled : optim::WeightDecay::l2,
          .decay_all = options.decay_all};
}

optim::ScheduleOptions schedule_options(const TrainOptions& options) {
  optim::ScheduleOptions schedule = options.schedule;
  if (schedule.steps == 0) schedule.steps = options.epochs;
  return schedule;
}

}  // namespace

void Weights::copy_from(nn::Model& model) {
  const std::vector<Matrix*> source = matrices_of(model);
  matrices_.resize(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) matrices_[i] = *source[i];
}

void Weights::copy_to(nn::Model& model) const {
  const std::vector<Matrix*> target = matrices_of(model);
  for (std::size_t i = 0; i < target.size(); ++i) *target[i] = matrices_[i];
}

bool Weights::are_finite(nn::Model& model) {
  return std::ranges::all_of(matrices_of(model), [](const Matrix* matrix) { return matrix->allFinite(); });
}

void Weights::swap_with(nn::Model& model) {
  const std::vector<Matrix*> other = matrices_of(model);
  for (std::size_t i = 0; i < other.size(); ++i) matrices_[i].swap(*other[i]);
}

void Weights::follow(nn::Model& model, double decay) {
  const auto share = static_cast<float>(1 - decay);
  const std::vector<Matrix*> source = matrices_of(model);
  for (std::size_t i = 0; i < source.size(); ++i) matrices_[i] += share * (*source[i] - matrices_[i]);
}

TrainingState::TrainingState(nn::Model& trained_model, const TrainOptions& options)
    : model(trained_model),
      adam(trained_model.parameters(), adam_options(options)),
      schedule(schedule_options(options)),
      stopping(options.stopping) {
  if (options.average > 0) average.copy_from(model);
}

void StateCopy::take(TrainingState& state) {
  weights_.copy_from(state.model);
  average_ = state.average;
  moments_.clear();
  for (const auto& [name, matrix] : state.adam.state()) moments_.push_back(*matrix);
  steps_ = state.adam.steps();
  epoch_ = state.epoch;
}

void StateCopy::restore(TrainingState& state) const {
  weights_.copy_to(state.model);
  state.average = average_;
  std::size_t i = 0;
  for (const auto& [name, matrix] : state.adam.state()) *matrix = moments_[i++];
  state.adam.set_steps(steps_);
  state.epoch = epoch_;
}

}  // namespace edgewise::train
