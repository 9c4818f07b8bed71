#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/optim/schedule.hpp"
#include "edgewise/train/loop/early_stopping.hpp"
#include "edgewise/train/targets/loss_options.hpp"

namespace edgewise::train {

/// Consistency regularisation for the classes of the nodes of one graph (Feng et al. 2020, "Graph Random Neural
/// Networks", section 3.2): in each step several passes, each with its own dropout, must agree on all nodes, including
/// those without a label.
struct Consistency {
  std::int64_t passes = -1;  ///< Per step; 0: none; below 0: "auto", which a job resolves and `fit` takes as none.
  double weight = 1;         ///< Of the distance between the passes, beside the mean of their losses.
  double temperature = 0.5;  ///< Below 1: the mean that the passes must agree on is sharpened.
};

/// How a model is trained: "training" of a configuration. docs/command-line.md documents each member.
struct TrainOptions {
  std::int64_t epochs = 1000;
  std::uint64_t seed = 0;
  std::string optimiser = "adam";  ///< adam, adamw.
  double learning_rate = 0.005;
  double weight_decay = 5e-4;
  bool decay_all = false;  ///< Weight decay also acts on biases and gains.
  double clip_norm = 0;    ///< 0: no clipping.
  double average = 0;      ///< In [0, 1): decay of the weight average that is kept; 0: none. See fit.hpp.
  optim::ScheduleOptions schedule = {};  ///< `steps` 0: all epochs.
  StoppingOptions stopping = {};
  std::int64_t evaluate_every = 1;
  /// Memory order of the nodes of one graph: none, degree, cuthill_mckee, clustering, auto. See reorder.hpp.
  std::string reorder = "none";
  /// Graphs per step, or labelled nodes if neighbours are sampled: then 1024 unless given. Otherwise the nodes of a
  /// single graph are taken all at once.
  std::int64_t batch_size = 64;
  std::string sample = {};  ///< How each step samples a single graph; empty: it goes over all of it. See sampling.hpp.
  bool replace = false;     ///< Neighbours are sampled with replacement.
  ClassWeights class_weights = {};
  /// Classes: the share of each label that is spread over all classes; see autograd::cross_entropy.
  double label_smoothing = 0;
  std::string loss = "squared";  ///< Regression: squared; huber: beyond a deviation of the target, errors count
                                 ///< linearly; gaussian: the model gives a variance, too.
  /// How much each of several targets or labels counts, by name; others count 1.
  std::vector<std::pair<std::string, double>> target_weights = {};
  /// Share of the known labels of the nodes of one graph that a model sees in an epoch; the loss is over the others. 0:
  /// none; below 0: "auto", which is none if the model is named. See inputs/label_input.hpp.
  double label_input = -1;
  Consistency consistency = {};
  /// Ties: the pairs without one to learn from: how they are drawn (graph::CandidateWay; empty: uniformly), or a CSV
  /// file of them.
  std::string negatives = {};
  std::string metric = {};  ///< Metric for early stopping and the summary; empty: `default_metric` of the labels.
};

/// The members of "training" in a configuration.
std::span<const json::Field<TrainOptions>> train_fields();

LossOptions loss_options(const TrainOptions& options);

/// The file that `negatives` names; empty if it says how they are drawn.
std::string negatives_file(const TrainOptions& options);

/// Throws UsageError naming the member that is out of its range.
void validate(const TrainOptions& options);

json::Value to_json(const TrainOptions& options);
/// Missing members get their defaults; `passed_over` lists members that belong to others. Throws UsageError naming the
/// member by its path.
TrainOptions parse_train_options(const json::Value& value, std::initializer_list<std::string_view> passed_over = {});

}  // namespace edgewise::train
