#include "edgewise/train/loop/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/consistency.hpp"
#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/loop/runs.hpp"
#include "edgewise/train/loop/training_state.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/read_metric.hpp"

namespace edgewise::train {
namespace {

class Trainer {
 public:
  Trainer(nn::Model& model, Batches& batches, const data::Labels& labels, const data::Split& split,
          const TrainOptions& options)
      : batches_(batches),
        labels_(labels),
        options_(options),
        train_(labelled(labels, data::nodes_with_role(split, data::Role::train))),
        validation_(labelled(labels, data::nodes_with_role(split, data::Role::validation))),
        test_(labelled(labels, data::nodes_with_role(split, data::Role::test))),
        objective_(labels, train_, options),
        state_(model, options) {}

  TrainingState& state() { return state_; }
  const Objective& objective() const { return objective_; }

  void restore(const std::string& checkpoint) {
    load_checkpoint(checkpoint, state_, options_);
    const std::optional<double> best = state_.stopping.best_metric();
    if (!best || can_be(objective_.metric(), objective_.metric_of(*best))) return;
    throw ModelError(fmt::format("{}: the checkpoint's best validation metric is {}, which {} cannot be", checkpoint,
                                 objective_.metric_of(*best), objective_.metric()));
  }

  bool is_over() const {
    return state_.epoch >= options_.epochs || (!validation_.empty() && state_.stopping.left() == 0);
  }

  /// Ends after a step from which on `is_late()`.
  EpochRecord run_epoch(const std::function<bool()>& is_late) {
    EpochRecord record;
    const Clock::time_point start = Clock::now();
    record.learning_rate = options_.learning_rate * state_.schedule.multiplier(state_.epoch);
    const auto epoch = static_cast<std::uint64_t>(state_.epoch);
    const auto steps = batches_.training_batches(state_.model, train_, options_.seed, epoch);
    const auto before = static_cast<std::uint64_t>(state_.adam.steps());
    std::size_t done = 0;
    for (; done < steps.size() && (done == 0 || !is_late()); ++done) step(steps[done], before + done, record);
    record.loss /= static_cast<double>(done);
    record.step_ms = milliseconds_since(start);
    record.epoch = ++state_.epoch;
    const bool is_due = record.epoch % options_.evaluate_every == 0 || record.epoch == options_.epochs;
    if (!validation_.empty() && is_due) validate(record);
    record.ends_at = expected_end();
    return record;
  }

  void restore_kept_weights() {
    const Weights& last = state_.average;
    if (state_.kept.is_set() || last.is_set()) (state_.kept.is_set() ? state_.kept : last).copy_to(state_.model);
    if (!Weights::are_finite(state_.model)) fail("weights are");
  }

  /// Not of training items that would all be hidden at once.
  void evaluate_all(Report& report) {
    report_step("evaluating");
    if (!batches_.keeps_outputs()) {
      if (!validation_.empty()) report.validation = {{"accuracy", measure(validation_).accuracy}};
      if (!test_.empty()) report.test = {{"accuracy", measure(test_).accuracy}};
      return;
    }
    std::vector<graph::Node> items;
    if (!batches_.hides_items()) items = train_;
    items.insert(items.end(), validation_.begin(), validation_.end());
    items.insert(items.end(), test_.begin(), test_.end());
    evaluate_outputs(state_.model, batches_, items, tape_, outputs_);
    for (const graph::Node item : items)
      if (!outputs_.row(item).allFinite()) fail("outputs are");
    const Matrix predictions = to_predictions(labels_.task, outputs_, objective_.scaler());
    const std::vector<double>& deviations = objective_.scaler().deviation();
    if (!batches_.hides_items()) report.train = evaluate(labels_, predictions, train_, deviations);
    report.validation = evaluate(labels_, predictions, validation_, deviations);
    report.test = evaluate(labels_, predictions, test_, deviations);
  }

 private:
  struct Measured {
    double loss = 0;
    double accuracy = 0;
  };

  /// Batch by batch, without holding the outputs of all.
  Measured measure(const std::vector<graph::Node>& items) {
    Measured sums;
    for (const std::vector<graph::Node>& part : batches_.of_evaluation(state_.model, items)) {
      check_interruption();
      tape_.reset(false);
      const autograd::Variable outputs = batches_.forward(state_.model, {.tape = tape_}, part);
      const double loss = finite(objective_.loss(outputs, part, batch_labels_), "validation");
      sums.loss += loss * static_cast<double>(part.size());
      const std::vector<std::int32_t> predicted = predicted_classes(outputs.value());
      for (std::size_t i = 0; i < part.size(); ++i) sums.accuracy += predicted[i] == labels_.classes[part[i]] ? 1 : 0;
    }
    const auto count = static_cast<double>(items.size());
    return {sums.loss / count, sums.accuracy / count};
  }

  [[noreturn]] void fail(const char* what) const {
    throw NumericalError(fmt::format("epoch {}: the {} not finite; try a smaller learning rate, clip the gradients, or "
                                     "look for very large features",
                                     state_.epoch, what));
  }

  PassOptions training_pass(std::uint64_t index) {
    return {.tape = tape_, .is_training = true, .seed = options_.seed, .step = index};
  }

  autograd::Variable plain_loss(const std::vector<graph::Node>& items, std::uint64_t index) {
    const autograd::Variable outputs = batches_.forward(state_.model, training_pass(index), items);
    return objective_.loss(outputs, items, batch_labels_, batches_.loss_weights());
  }

  /// The mean loss of several passes over all items, and how far they are apart.
  autograd::Variable consistent_loss(const std::vector<graph::Node>& items, std::uint64_t index) {
    const auto passes = static_cast<std::uint64_t>(options_.consistency.passes);
    std::vector<autograd::Variable> outputs;
    autograd::Variable losses;
    for (std::uint64_t s = 0; s < passes; ++s) {
      outputs.push_back(batches_.forward(state_.model, training_pass(index * passes + s), {}));
      const autograd::Variable loss = objective_.loss(outputs.back(), items);
      losses = s == 0 ? loss : autograd::add(losses, loss);
    }
    const autograd::Variable distance =
        autograd::consistency(outputs, static_cast<float>(options_.consistency.temperature));
    return autograd::add(autograd::scale(losses, 1 / static_cast<float>(passes)),
                         autograd::scale(distance, static_cast<float>(options_.consistency.weight)));
  }

  void step(const std::vector<graph::Node>& items, std::uint64_t index, EpochRecord& record) {
    tape_.reset(true);
    const autograd::Variable loss =
        options_.consistency.passes > 0 ? consistent_loss(items, index) : plain_loss(items, index);
    record.loss += finite(loss, "training");
    tape_.backward(loss);
    double scale = 1;
    if (options_.clip_norm > 0) {
      record.gradient_norm = state_.adam.gradient_norm();
      scale = optim::clip_scale(record.gradient_norm, options_.clip_norm);
    }
    state_.adam.step(record.learning_rate, scale);
    if (state_.average.is_set()) state_.average.follow(state_.model, average_decay());
  }

  /// Grows to the configured value, so that the initial random weights are soon forgotten.
  double average_decay() const {
    const auto steps = static_cast<double>(state_.adam.steps());
    return std::min(options_.average, steps / (steps + 9));
  }

  /// Validates the averaged weights, if there are any.
  void validate(EpochRecord& record) {
    const bool is_average = state_.average.is_set();
    if (is_average) state_.average.swap_with(state_.model);
    const auto [loss, score] = loss_and_score();
    record.validation_loss = loss;
    record.validation_metric = objective_.metric_of(score);
    state_.schedule.observe(loss);
    record.is_kept = state_.stopping.observe(record.epoch, loss, score);
    if (record.is_kept) state_.kept.copy_from(state_.model);
    if (is_average) state_.average.swap_with(state_.model);
  }

  /// Of the validation items.
  std::pair<double, double> loss_and_score() {
    if (!batches_.keeps_outputs()) {
      const Measured measured = measure(validation_);
      return {measured.loss, measured.accuracy};
    }
    evaluate_outputs(state_.model, batches_, validation_, tape_, outputs_);
    return {finite(objective_.loss(tape_.constant(outputs_), validation_), "validation"),
            objective_.score(outputs_, validation_)};
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

  Batches& batches_;
  const data::Labels& labels_;
  const TrainOptions& options_;
  std::vector<graph::Node> train_;
  std::vector<graph::Node> validation_;
  std::vector<graph::Node> test_;
  Objective objective_;
  autograd::Tape tape_;
  Matrix outputs_;
  BatchLabels batch_labels_;
  TrainingState state_;
};

void check_split(const data::Split& split, std::size_t items) {
  if (split.size() != items)
    throw UsageError(fmt::format("fit: the split has {} entries, there are {} to be labelled", split.size(), items));
}

}  // namespace

Report fit(nn::Model& model, const data::Features& features, const data::Labels& labels,
           const graph::FrozenGraph& graph, const data::Split& split, const TrainOptions& options,
           const FitHooks& hooks) {
  NodeBatches batches(features, graph);
  return fit(model, batches, labels, split, options, hooks);
}

Report fit(nn::Model& model, Batches& batches, const data::Labels& labels, const data::Split& split,
           const TrainOptions& options, const FitHooks& hooks) {
  const Clock::time_point start = Clock::now();
  batches.check_fits(model);
  check_split(split, batches.item_count());
  check_labels("fit", labels, batches.item_count());
  if (!batches.keeps_outputs() && checked_metric(options.metric, labels) != "accuracy")
    throw UsageError("training.metric: expected accuracy; others need the outputs of all items at once");
  validate(options);
  Trainer trainer(model, batches, labels, split, options);
  TrainingState& state = trainer.state();
  if (!hooks.resume.empty()) trainer.restore(hooks.resume);

  Report report;
  std::vector<double> step_ms;
  const auto save = [&] {
    if (hooks.checkpoint.empty()) return;
    report.checkpoint_problem.clear();
    const Observed undisturbed({});
    try {
      save_checkpoint(hooks.checkpoint, state, options, hooks.checkpoint_note);
      if (hooks.on_checkpoint) hooks.on_checkpoint();
    } catch (const DataError& error) {
      report.checkpoint_problem = error.what();
    }
  };
  StateCopy last;  // of the last whole epoch
  const auto remember = [&] {
    if (!hooks.checkpoint.empty()) last.take(state);
  };
  const auto save_last = [&] {
    if (!hooks.checkpoint.empty()) last.restore(state);
    save();
  };
  try {
    while (!trainer.is_over() && !report.was_stopped && !report.is_out_of_time) {
      remember();
      const EpochRecord record = trainer.run_epoch([&] { return hooks.is_late(); });
      step_ms.push_back(record.step_ms);
      if (hooks.on_epoch) hooks.on_epoch(record);
      report.was_stopped = hooks.asks_to_stop() && !trainer.is_over();
      report.is_out_of_time = hooks.is_late() && !trainer.is_over();
      const bool is_due = hooks.checkpoint_every > 0 && record.epoch % hooks.checkpoint_every == 0;
      if (report.was_stopped || is_due) save();
    }
    if (hooks.checkpoint_at_end) save();
    remember();
    trainer.restore_kept_weights();
    trainer.evaluate_all(report);
  } catch (const Interrupted&) {
    save_last();
    throw;
  }
  report.epochs = state.epoch;
  report.best_epoch = state.kept.is_set() ? state.stopping.best_epoch() : state.epoch;
  report.epoch_ms = median(std::move(step_ms));
  report.metric = trainer.objective().metric();
  report.scaler = trainer.objective().scaler();
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace edgewise::train
