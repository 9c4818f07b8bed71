#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/metrics.hpp"
#include "edgewise/train/use/model_data.hpp"

namespace edgewise::train {

/// The most classes for which there is a confusion matrix, which grows with their square.
inline constexpr std::size_t kMostClassesCompared = 1000;

/// The level of the sets and intervals that are evaluated.
inline constexpr double kUsualLevel = 0.9;

/// How good the predictions of a model are on items whose label is known.
struct Evaluation {
  std::string part;                           ///< train, validation, test or all.
  std::optional<std::int64_t> run;  ///< Of several, whose split the part is of; the model is that of this run.
  std::vector<graph::Node> items;             ///< Those of the part with a known label.
  Matrix predictions;                         ///< Of all items of the data: [items, outputs].
  Matrix deviations;                          ///< The same; empty if nothing tells how far it errs.
  Metrics metrics;
  std::string ranked_among;                   ///< Of ties, see describe_candidates.
  std::optional<std::string> positive_class;  ///< Of two classes the one that roc_auc and average_precision are about.
  ConfusionMatrix confusion;                  ///< Of classes, if there are at most kMostClassesCompared.
  std::vector<ClassReport> classes;           ///< In the order of TrainedModel::label_names.
  std::vector<TargetMetrics> targets;         ///< If there are several targets or labels.
  /// How good the sets or intervals of level kUsualLevel are, as `coverage`; empty if the model cannot give them.
  std::vector<Coverage> coverage;
  std::vector<double> error_correlations;     ///< Of each target of a regression, if there are deviations.
};

/// Evaluates on a part of the split: "train", "validation", "test", "all", or "auto", which is the test part, or all of
/// other data without a split. `loaded` was read with Needs::labels for `request`; models that take labels as input do
/// not see those of the items. `negatives`: what ties are ranked among in place of drawn nodes, see ranks_of_ties.
/// Throws UsageError for another part, for data without parts and for negatives of other items, ModelError if the model
/// has other labels, DataError if no item of the part has a label.
Evaluation evaluate(ModelData& loaded, const ModelRequest& request, const std::string& part, const NoteHook& note,
                    const std::string& negatives = "");

}  // namespace edgewise::train
