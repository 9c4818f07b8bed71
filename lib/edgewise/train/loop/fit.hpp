#pragma once

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
#include "edgewise/train/loop/metrics.hpp"
#include "edgewise/train/loop/train_options.hpp"

namespace edgewise::train {

/// What one epoch did. The validation numbers are there when it was evaluated.
struct EpochRecord {
  std::int64_t epoch = 0;  ///< Counts from 1.
  double learning_rate = 0;
  double loss = 0;  ///< On the training items, with dropout, without weight decay; the mean over the steps.
  double gradient_norm = 0;  ///< Before clipping, of the last step; only when gradients are clipped.
  std::optional<double> validation_loss;
  std::optional<double> validation_metric;
  std::int64_t ends_at = 0;  ///< The epoch at which training ends if nothing improves from here.
  bool is_kept = false;  ///< The weights after this epoch are the best so far.
  double step_ms = 0;    ///< Forward, backward and update, all steps of the epoch.
};

/// What the caller of `fit` takes part in. All may be empty.
struct FitHooks {
  std::function<void(const EpochRecord&)> on_epoch;
  /// For jobs that train several models to choose from: called before each with its name. `fit` does not call it.
  std::function<void(const std::string&)> on_model;
  /// Asked after each epoch, and after each round of boosted trees, then by any thread; true ends training there, with
  /// a checkpoint when one has a path.
  std::function<bool()> should_stop;
  std::string checkpoint;             ///< Where to save; empty: nowhere.
  std::int64_t checkpoint_every = 0;  ///< Epochs; 0: only when stopped.
  bool checkpoint_at_end = false;     ///< Also when training is over, so that it can go on for longer.
  CheckpointNote checkpoint_note;     ///< Kept in the checkpoint for the caller.
  std::string resume;                 ///< A checkpoint to go on from.
};

/// How training went, and how good the kept weights are.
struct Report {
  std::int64_t epochs = 0;      ///< That were run, those before a resume included.
  std::int64_t best_epoch = 0;  ///< Whose weights were kept.
  bool was_stopped = false;     ///< By the hook.
  double epoch_ms = 0;          ///< Median of `step_ms`.
  double seconds = 0;           ///< Of this call, evaluation included.
  std::string metric;           ///< The one that stopping looked at.
  data::TargetScaler scaler;    ///< Regression: fitted on the training targets; `predict` needs it.
  Metrics train;
  Metrics validation;
  Metrics test;
};

/// Training of `model` on the items (nodes, or graphs) whose role in `split` is train, with early stopping on the
/// validation items; at the end the model holds the kept weights. The test items are evaluated once, with those. Losses
/// are means over the labelled items of a step: softmax cross-entropy with class weights, sigmoid cross-entropy, or
/// squared error of scaled targets. Without validation items it trains all epochs and keeps the last weights.
/// With `average` d the weights that are validated and kept are w' = d w' + (1 - d) w after each step (in step t at
/// most t / (t + 9) for d), running moments too: an average of the last 1 / (1 - d) steps (Polyak and Juditsky 1992).
/// Frozen parameters stay as they are. The same seed gives the same bits at any number of threads, and also across a
/// resume. Throws NumericalError naming the epoch when the loss, a weight that would be saved or kept, or an output of
/// the kept weights is not finite, DataError when no training item has a label, ModelError when the model or the
/// checkpoint does not fit, UsageError for options that do not fit the task.
Report fit(nn::Model& model, Batches& batches, const data::Labels& labels, const data::Split& split,
           const TrainOptions& options, const FitHooks& hooks = {});

/// The nodes of one graph, all of it in every step.
Report fit(nn::Model& model, const data::Features& features, const data::Labels& labels,
           const graph::FrozenGraph& graph, const data::Split& split, const TrainOptions& options,
           const FitHooks& hooks = {});

inline Report fit(nn::Model& model, const data::NodeData& data, const graph::FrozenGraph& graph,
                  const data::Split& split, const TrainOptions& options, const FitHooks& hooks = {}) {
  return fit(model, data.features, data.labels, graph, split, options, hooks);
}

}  // namespace edgewise::train
