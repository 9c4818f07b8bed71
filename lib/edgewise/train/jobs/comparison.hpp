#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/train/jobs/chance.hpp"
#include "edgewise/train/jobs/job_data.hpp"

/// @file
/// Several models on the same splits: which is best, and what the graph and attention add.
namespace edgewise::train {

/// What a model gets to see.
struct ModelTraits {
  bool uses_features = true;
  bool uses_graph = true;
  bool uses_attention = true;
  bool sees_labels = false;  ///< Of training nodes, as input.
  bool is_network = true;    ///< What attention adds is told from other networks along edges.
};

/// Behind the name of a model whose predictions were refined by Correct and Smooth.
inline constexpr const char* kSmoothed = " + smooth";

/// Behind the name of a model that labels of neighbours are input of; " + smooth" stands behind it.
inline constexpr const char* kWithLabels = " + labels";
/// Share of the training labels that are input, where that is tried.
inline constexpr double kShownLabels = 0.5;

/// Of a preset or a baseline, by its name.
ModelTraits traits_of(const std::string& model);

/// The models that fit the data, from the simplest to those that attend; behind them, where less than a tenth of the
/// nodes are there to learn from in the first run, one whose many layers carry labels far.
std::vector<std::string> models_to_compare(const Config& config, const JobData& data);

/// A model and its metric, run by run; run r of every model has the same seed and split.
struct Contender {
  std::string model;
  std::vector<double> validation = {};
  std::vector<double> test = {};
  double seconds = 0;  ///< Of all runs.
};

/// By how much one model is better than another, run by run: positive where it is better, whichever way the metric
/// goes.
struct Difference {
  double mean = 0;
  double std = 0;  ///< Sample standard deviation; NaN for one run.
  std::size_t runs = 0;
  double margin = 0;  ///< What the mean may be by chance, two standard errors.

  bool is_clear() const;
};

/// What the items with a role in a run are.
Sample sample_of(const Config& config, const JobData& data, std::int64_t run, data::Role role);

/// On the test items, over the runs in which both metrics are defined. Chance is judged by how the runs differ; of
/// fewer than 3 runs by `sample`, the test items of one.
Difference difference(const Contender& better, const Contender& than, const std::string& metric, const Sample& sample);

/// The place of the one with the best mean on the validation items; of equals the first. Throws UsageError when there
/// are none.
std::size_t best_of(const std::vector<Contender>& contenders, const std::string& metric);
/// The same among networks, or among all others; nothing where there is none.
std::optional<std::size_t> best_of_kind(const std::vector<Contender>& contenders, const std::string& metric,
                                        bool is_network);

/// The one that is tried again with labels of neighbours as input: the best on the validation items that looks at both
/// features and edges. Nothing where there is none, no edge, or more than one graph, or where the configuration says
/// which labels are input.
std::optional<std::size_t> to_try_with_labels(const Config& config, const JobData& data,
                                              const std::vector<Contender>& contenders, const std::string& metric);

/// The best on the validation items and those that are less than `chance` behind it: best first, as they are then.
std::vector<std::size_t> alike(const std::vector<Contender>& contenders, const std::string& metric,
                               const Sample& sample);

/// What is kept of contenders.
struct Kept {
  std::vector<std::size_t> places;    ///< One, or those whose average it is.
  std::optional<double> average = {};  ///< The metric of an average that is the best of all; else they are alike.
};

/// Why that is kept, in a plain sentence: what the graph adds, or that it does not help. `sample` is of the validation
/// items.
std::string reason(const std::vector<Contender>& contenders, const std::string& metric, const Sample& sample,
                   const Kept& kept);

/// What the comparison says, in plain sentences: whether the graph helps, whether attention does, whether a baseline is
/// as good as the best model, and which one to use. `sample` is of the test items of a run.
std::vector<std::string> verdict(const std::vector<Contender>& contenders, const std::string& metric,
                                 const Sample& sample);

}  // namespace edgewise::train
