#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "edgewise/data/node_data.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/loop/train_options.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {

/// The result of one epoch. The validation numbers are set if it was evaluated.
struct EpochRecord {
  std::int64_t epoch = 0;  ///< Counts from 1.
  double learning_rate = 0;
  double loss = 0;  ///< On the training items, with dropout, without weight decay; mean over the steps.
  double gradient_norm = 0;  ///< Of the last step, before clipping; only if gradients are clipped.
  std::optional<double> validation_loss;
  std::optional<double> validation_metric;
  std::int64_t ends_at = 0;  ///< Epoch at which training ends without further improvement.
  bool is_kept = false;  ///< The weights after this epoch are the best so far.
  double step_ms = 0;    ///< Forward, backward and update, over all steps of the epoch.
};

/// Called with a remark for the user, one line.
using NoteHook = std::function<void(const std::string& line)>;

/// Hooks for the caller of `fit`. All may be empty.
struct FitHooks {
  std::function<void(const EpochRecord&)> on_epoch;
  /// The clock that a budget is measured with.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  /// When training ends, after the step under way and an evaluation, with the best weights so far.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  /// Called after each epoch, and after each round of boosted trees (then from any thread). Returning true ends
  /// training, with a checkpoint if one has a path.
  std::function<bool()> should_stop;
  std::string checkpoint;             ///< Where to save; empty: nowhere.
  std::int64_t checkpoint_every = 0;  ///< Epochs between saves; 0: only when stopped.
  bool checkpoint_at_end = false;     ///< Also save when training is over, so that it can be extended later.
  CheckpointNote checkpoint_note;     ///< Stored in the checkpoint for the caller.
  std::function<void()> on_checkpoint;  ///< Called after each save.
  std::string resume;                 ///< A checkpoint to resume from.

  bool asks_to_stop() const { return should_stop && should_stop(); }
  bool is_late() const { return deadline && now() >= *deadline; }
  bool is_over() const { return asks_to_stop() || is_late(); }
};

/// How training went, and the quality of the kept weights.
struct Report {
  std::int64_t epochs = 0;      ///< Number of epochs run, including those before a resume.
  std::int64_t best_epoch = 0;  ///< Epoch of the kept weights.
  bool was_stopped = false;     ///< Stopped by the hook.
  bool is_out_of_time = false;  ///< The deadline has passed.
  std::string checkpoint_problem;  ///< Why the last checkpoint could not be written; training went on. Empty: it could.
  double epoch_ms = 0;          ///< Median of `step_ms`.
  double seconds = 0;           ///< Of this call, including evaluation.
  std::string metric;           ///< The metric used for early stopping.
  data::TargetScaler scaler;    ///< Regression: fitted on the training targets; `predict` needs it.
  Metrics train;
  Metrics validation;
  Metrics test;
};

/// Trains `model` on the items (nodes, or graphs) with role train in `split`, with early stopping on the validation
/// items; at the end the model holds the kept weights. The test items are evaluated once, with those. Losses are means
/// over the labelled items of a step: softmax cross-entropy with class weights, sigmoid cross-entropy, or squared error
/// of scaled targets. Without validation items it trains for all epochs and keeps the last weights.
///
/// With `average` = d, the weights that are validated and kept are the running average w' = d w' + (1 - d) w after each
/// step (in step t, d is at most t / (t + 9)), including running moments. This averages roughly the last 1 / (1 - d)
/// steps (Polyak and Juditsky 1992). Frozen parameters stay unchanged. The same seed gives bitwise identical results at
/// any number of threads, and also across a resume. Throws NumericalError naming the epoch if the loss, a weight to be
/// saved or kept, or an output of the kept weights is not finite; DataError if no training item has a label; ModelError
/// if the model or the checkpoint does not fit; UsageError for options that are out of range or do not suit the task,
/// and for a split or labels (`check_labels`) that do not suit the items. Throws Interrupted if the observer of this
/// thread (core/observer.hpp) wants the work to end before an epoch or the evaluation is over, after saving the state
/// at the end of the last epoch if a checkpoint has a path. Whoever makes `batches` follows `options.batch_size`,
/// `options.reorder` and `options.sample`.
Report fit(nn::Model& model, Batches& batches, const data::Labels& labels, const data::Split& split,
           const TrainOptions& options, const FitHooks& hooks = {});

/// The nodes of one graph, with the whole graph in every step.
Report fit(nn::Model& model, const data::Features& features, const data::Labels& labels,
           const graph::FrozenGraph& graph, const data::Split& split, const TrainOptions& options,
           const FitHooks& hooks = {});

inline Report fit(nn::Model& model, const data::NodeData& data, const graph::FrozenGraph& graph,
                  const data::Split& split, const TrainOptions& options, const FitHooks& hooks = {}) {
  return fit(model, data.features, data.labels, graph, split, options, hooks);
}

}  // namespace edgewise::train
