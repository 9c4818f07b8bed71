#include "edgewise/train/use/evaluation.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/targets/link_metrics.hpp"
#include "edgewise/train/use/link_prediction.hpp"
#include "edgewise/train/use/link_ranks.hpp"
#include "edgewise/train/use/pair_prediction.hpp"

namespace edgewise::train {
namespace {

/// Whether the data has a split that keeps the training items apart: its own, one that is asked for, or that of
/// training. The latter, drawn again for other data, would mix training items into the test part.
bool has_split(const ModelRequest& request, const ModelData& loaded) {
  if (request.over.find("data") == nullptr || request.over.find("split") != nullptr) return true;
  const bool has_own = !loaded.data.splits.empty() || !split_column(loaded.data, loaded.split).empty();
  return has_own || training_split(loaded.trained, loaded.data).has_value();
}

/// Whether the items are those of training, but in other parts.
bool is_split_otherwise(const ModelRequest& request, const ModelData& loaded, const data::Split& split) {
  const std::string& mark = loaded.trained.training.split_mark;
  return request.over.find("data") == nullptr && !mark.empty() && fingerprint_of(loaded.data, split) != mark;
}

/// The split of training, drawn again for the data at hand.
data::Split split_of(const ModelData& loaded) {
  return make_split(loaded.data, loaded.split, loaded.trained.training.seed, loaded.trained.training.run);
}

/// The run of several whose model this is, if the items are of a part of its split.
std::optional<std::int64_t> run_of(const ModelData& loaded, const std::string& part) {
  const TrainingRecord& training = loaded.trained.training;
  if (part == "all" || training.runs < 2 || training.split_mark.empty()) return std::nullopt;
  if (fingerprint_of(loaded.data, split_of(loaded)) != training.split_mark) return std::nullopt;
  return training.run;
}

/// The ties of training are what a model predicts others from.
void check_part_of_ties(const ModelData& loaded, const ModelRequest& request, const std::string& part) {
  if (!has_split(request, loaded))
    throw UsageError(fmt::format("{}: say which ties of {} are the test and which the model may see, as they are not "
                                 "those of training in the same order",
                                 setting("split.file"), loaded.data.name));
  if (part != "test" && part != "validation")
    throw UsageError(fmt::format("{}: expected test or validation, because the ties of training are the evidence to "
                                 "predict from",
                                 setting("part")));
}

std::vector<graph::Node> items_of(const ModelData& loaded, const ModelRequest& request, const std::string& part,
                                  const NoteHook& note) {
  if (part == "all") return data::labelled_nodes(loaded.data.labels);
  const std::optional<data::Role> role = data::parse_role(part);
  if (!role || *role == data::Role::none)
    throw UsageError(fmt::format("{}: expected train, validation, test or all, got \"{}\"", setting("part"), part));
  if (!has_split(request, loaded))
    throw UsageError(
        fmt::format("{}: {} has no split, and its items are not those of training in the same order; "
                    "use {} all, or say which they are with {}",
                    setting("part"), loaded.data.name, setting("part"), setting("split.file")));
  const data::Split split = split_of(loaded);
  if (is_split_otherwise(request, loaded, split))
    note("the split is not that of training: the model may have been trained on some of these items");
  return labelled(loaded.data.labels, data::nodes_with_role(split, *role));
}

/// Other data may have more of the class that was the rarer one in training.
void keep_positive_class(const TrainedModel& trained, data::Labels& labels) {
  const std::optional<std::string>& positive = trained.training.positive_class;
  if (!positive || !has_positive_class(labels)) return;
  labels.positive = *positive == labels.names[0] ? 0 : 1;
}

void measure(const data::Labels& labels, std::span<const double> deviations, Evaluation& result) {
  result.metrics = evaluate(labels, result.predictions, result.items, deviations);
  if (has_positive_class(labels))
    result.positive_class = labels.names[static_cast<std::size_t>(positive_class(labels))];
  if (labels.names.size() > 1) result.targets = evaluate_targets(labels, result.predictions, result.items);
  if (!labels.has_classes()) return;
  const std::vector<std::int32_t> predicted = predicted_classes(result.predictions);
  const std::size_t classes = labels.names.size();
  result.classes = class_reports(class_counts(labels.classes, predicted, classes, result.items));
  if (classes <= kMostClassesCompared)
    result.confusion = confusion_matrix(labels.classes, predicted, classes, result.items);
}

void measure_trust(const Calibration& calibration, const data::Labels& labels, Evaluation& result) {
  if (calibration.can_give(kUsualLevel))
    result.coverage = coverage(labels, calibration.intervals(result.predictions, result.deviations, kUsualLevel),
                               result.items);
  if (!labels.has_numbers() || result.deviations.size() == 0) return;
  for (Eigen::Index target = 0; target < labels.targets.cols(); ++target)
    result.error_correlations.push_back(
        error_correlation(labels, result.predictions, result.deviations, result.items, target));
}

}  // namespace

Evaluation evaluate(ModelData& loaded, const ModelRequest& request, const std::string& part, const NoteHook& note,
                    const std::string& negatives) {
  if (!negatives.empty() && !loaded.data.links)
    throw UsageError(fmt::format("{}: is for models of ties", setting("negatives")));
  data::Labels& labels = loaded.data.labels;
  const bool are_pairs = loaded.trained.pairs.has_value();
  if (!are_pairs && labels.names != loaded.trained.label_names)
    throw ModelError(fmt::format("{}: the data has the labels {}, the model knows {}", request.path,
                                 first_of(labels.names), first_of(loaded.trained.label_names)));
  keep_positive_class(loaded.trained, labels);
  Evaluation result;
  result.part = part != "auto" ? part : has_split(request, loaded) ? "test" : "all";
  if (loaded.data.links) check_part_of_ties(loaded, request, result.part);
  result.items = items_of(loaded, request, result.part, note);
  result.run = run_of(loaded, result.part);
  if (result.items.empty())
    throw DataError(
        fmt::format("{}, {}: no item there has a known label to evaluate on", loaded.data.name, result.part));
  if (are_pairs) {
    result.metrics = evaluate_pairs(loaded, result.items, {.beam = static_cast<std::size_t>(kUsualBeam)});
    return result;
  }
  if (loaded.data.links) {
    result.predictions = judge_links(loaded, split_of(loaded));
    result.metrics = evaluate(labels, result.predictions, result.items, {});
    result.ranked_among = describe_candidates(negatives);
    if (negatives.empty()) return result;
    const Metrics of_ranks = rank_metrics(ranks_of_ties(loaded, split_of(loaded), result.items, negatives, note));
    std::ranges::copy(of_ranks, result.metrics.begin());  // before those of drawn pairs
    return result;
  }
  hide_labels(loaded.trained, result.items, loaded.inputs);  // scored labels must not be inputs
  result.predictions = predict(loaded.trained, loaded.data, loaded.inputs, &result.deviations);
  measure(labels, loaded.trained.scaler.deviation(), result);
  measure_trust(loaded.trained.calibration, labels, result);
  return result;
}

}  // namespace edgewise::train
