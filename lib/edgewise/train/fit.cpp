#include "edgewise/train/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/checkpoint.hpp"
#include "edgewise/train/input.hpp"
#include "edgewise/train/objective.hpp"
#include "edgewise/train/predict.hpp"
#include "edgewise/train/runs.hpp"
#include "edgewise/train/training_state.hpp"

namespace edgewise::train {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class Trainer {
 public:
  Trainer(nn::Model& model, const data::Features& features, const data::Labels& labels,
          const graph::FrozenGraph& graph, const data::Split& split, const TrainOptions& options)
      : labels_(labels),
        graph_(graph),
        options_(options),
        train_(data::nodes_with_role(split, data::Role::train)),
        validation_(labelled(labels, data::nodes_with_role(split, data::Role::validation))),
        test_(data::nodes_with_role(split, data::Role::test)),
        objective_(labels, train_, options),
        input_(features),
        state_(model, options) {}

  TrainingState& state() { return state_; }
  const Objective& objective() const { return objective_; }

  bool is_over() const {
    return state_.epoch >= options_.epochs || (!validation_.empty() && state_.stopping.left() == 0);
  }

  EpochRecord run_epoch() {
    EpochRecord record;
    const Clock::time_point start = Clock::now();
    step(record);
    record.step_ms = milliseconds_since(start);
    record.epoch = ++state_.epoch;
    const bool is_due = record.epoch % options_.evaluate_every == 0 || record.epoch == options_.epochs;
    if (!validation_.empty() && is_due) validate(record);
    record.ends_at = expected_end();
    return record;
  }

  void restore_kept_weights() {
    if (state_.kept.is_set()) state_.kept.copy_to(state_.model);
  }

  void evaluate_all(Report& report) {
    const Matrix predictions = to_predictions(labels_.task, forward(false).value(), objective_.scaler());
    report.train = evaluate(labels_, predictions, train_);
    report.validation = evaluate(labels_, predictions, validation_);
    report.test = evaluate(labels_, predictions, test_);
  }

 private:
  autograd::Variable forward(bool is_training) {
    tape_.reset(is_training);
    nn::ForwardContext context{.tape = tape_,
                               .graph = graph_,
                               .is_training = is_training,
                               .seed = options_.seed,
                               .step = static_cast<std::uint64_t>(state_.epoch)};
    return state_.model.forward(context, input_.signal(tape_));
  }

  void step(EpochRecord& record) {
    record.learning_rate = options_.learning_rate * state_.schedule.multiplier(state_.epoch);
    const autograd::Variable loss = objective_.loss(forward(true), train_);
    record.loss = finite(loss, "training");
    tape_.backward(loss);
    double scale = 1;
    if (options_.clip_norm > 0) {
      record.gradient_norm = state_.adam.gradient_norm();
      scale = optim::clip_scale(record.gradient_norm, options_.clip_norm);
    }
    state_.adam.step(record.learning_rate, scale);
  }

  void validate(EpochRecord& record) {
    const autograd::Variable outputs = forward(false);
    const double loss = finite(objective_.loss(outputs, validation_), "validation");
    const double score = objective_.score(outputs.value(), validation_);
    record.validation_loss = loss;
    record.validation_metric = objective_.metric_of(score);
    state_.schedule.observe(loss);
    const EarlyStopping::Verdict verdict = state_.stopping.observe(record.epoch, loss, score);
    record.is_kept = verdict.keep_weights;
    if (verdict.keep_weights) state_.kept.copy_from(state_.model);
  }

  double finite(const autograd::Variable& loss, const char* what) const {
    const float value = loss.value()(0, 0);
    if (std::isfinite(value)) return value;
    throw NumericalError(fmt::format("epoch {}: the {} loss is {}; try a smaller learning rate or clip the gradients",
                                     state_.epoch + 1, what, value));
  }

  std::int64_t expected_end() const {
    const std::optional<std::int64_t> left = state_.stopping.left();
    if (validation_.empty() || !left) return options_.epochs;
    const std::int64_t evaluated = state_.epoch / options_.evaluate_every * options_.evaluate_every;
    return std::min(options_.epochs, evaluated + *left * options_.evaluate_every);
  }

  const data::Labels& labels_;
  const graph::FrozenGraph& graph_;
  const TrainOptions& options_;
  std::vector<graph::Node> train_;
  std::vector<graph::Node> validation_;
  std::vector<graph::Node> test_;
  Objective objective_;
  ModelInput input_;
  autograd::Tape tape_;
  TrainingState state_;
};

void check_split(const data::Split& split, std::size_t nodes) {
  if (split.size() != nodes)
    throw UsageError(fmt::format("fit: the split has {} nodes, the graph has {}", split.size(), nodes));
}

}  // namespace

Report fit(nn::Model& model, const data::Features& features, const data::Labels& labels,
           const graph::FrozenGraph& graph, const data::Split& split, const TrainOptions& options,
           const FitHooks& hooks) {
  const Clock::time_point start = Clock::now();
  check_fits(model, features, graph);
  check_split(split, features.rows());
  Trainer trainer(model, features, labels, graph, split, options);
  TrainingState& state = trainer.state();
  if (!hooks.resume.empty()) load_checkpoint(hooks.resume, state, options);

  Report report;
  std::vector<double> step_ms;
  const auto save = [&] {
    if (!hooks.checkpoint.empty()) save_checkpoint(hooks.checkpoint, state, options, hooks.checkpoint_note);
  };
  while (!trainer.is_over() && !report.was_stopped) {
    const EpochRecord record = trainer.run_epoch();
    step_ms.push_back(record.step_ms);
    if (hooks.on_epoch) hooks.on_epoch(record);
    report.was_stopped = hooks.should_stop && hooks.should_stop() && !trainer.is_over();
    const bool is_due = hooks.checkpoint_every > 0 && record.epoch % hooks.checkpoint_every == 0;
    if (report.was_stopped || is_due) save();
  }
  if (hooks.checkpoint_at_end) save();

  trainer.restore_kept_weights();
  report.epochs = state.epoch;
  report.best_epoch = state.kept.is_set() ? state.stopping.best_epoch() : state.epoch;
  report.epoch_ms = median(std::move(step_ms));
  report.metric = trainer.objective().metric();
  report.scaler = trainer.objective().scaler();
  trainer.evaluate_all(report);
  report.seconds = milliseconds_since(start) / 1000;
  return report;
}

}  // namespace edgewise::train
