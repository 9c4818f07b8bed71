#include "edgewise/report/evaluation_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "edgewise/report/link_quality.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/report/target_table.hpp"
#include "edgewise/train/inputs/link_map.hpp"
#include "edgewise/train/loop/curves.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::report {
namespace {

constexpr std::size_t kMostClassesShown = 50;  // in the confusion matrix

/// The member that holds how many items there are: molecules are graphs there, atoms and bonds nodes.
std::string count_member(const train::Dataset& data) {
  return std::string(data.graphs ? "graphs" : data.atoms ? "nodes" : data.noun().many);
}

json::Value per_class(const std::vector<std::string>& names, const std::vector<train::ClassReport>& reports) {
  json::Array rows;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    json::Value row;
    row.set("class", names[i]);
    row.set("precision", reports[i].precision);
    row.set("recall", reports[i].recall);
    row.set("f1", reports[i].f1);
    row.set("support", reports[i].support);
    rows.push_back(std::move(row));
  }
  return rows;
}

json::Value confusion_json(const train::ConfusionMatrix& confusion) {
  json::Array rows;
  for (Eigen::Index r = 0; r < confusion.rows(); ++r) {
    json::Array row;
    for (Eigen::Index c = 0; c < confusion.cols(); ++c) row.emplace_back(confusion(r, c));
    rows.emplace_back(std::move(row));
  }
  return rows;
}

/// How often sets or intervals hold the truth, and whether deviations tell which predictions are worse.
json::Value coverage_json(const train::ModelData& model, const train::Evaluation& evaluation) {
  json::Array rows;
  for (std::size_t i = 0; i < std::max(evaluation.coverage.size(), evaluation.error_correlations.size()); ++i) {
    json::Value row = json::Object{{"level", train::kUsualLevel}};
    if (!model.data.labels.has_classes()) row.set("target", model.trained.label_names[i]);
    if (i < evaluation.coverage.size()) {
      row.set("held", evaluation.coverage[i].share);
      row.set("size", evaluation.coverage[i].size);
    }
    if (i < evaluation.error_correlations.size()) row.set("error_correlation", evaluation.error_correlations[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string coverage_text(const train::ModelData& model, const train::Evaluation& evaluation) {
  const bool are_intervals = model.data.labels.has_numbers();
  const std::vector<std::string>& names = model.trained.label_names;
  const bool is_one = model.data.labels.has_classes() || names.size() == 1;
  std::string text;
  for (std::size_t i = 0; i < std::max(evaluation.coverage.size(), evaluation.error_correlations.size()); ++i) {
    const std::string of_name = is_one ? "" : fmt::format(" ({})", names[i]);
    if (i < evaluation.coverage.size())
      text += fmt::format("\n{} of {:.0f} % hold {} of the truths; mean {} {}{}", are_intervals ? "intervals" : "sets",
                          100 * train::kUsualLevel, format_metric(evaluation.coverage[i].share),
                          are_intervals ? "width" : "size", format_metric(evaluation.coverage[i].size), of_name);
    if (i < evaluation.error_correlations.size())
      text += fmt::format("\nrank correlation of deviations and errors: {}{}",
                          format_metric(evaluation.error_correlations[i]), of_name);
  }
  return text;
}

TargetTable table_of_targets(const train::Evaluation& evaluation) {
  TargetTable table;
  table.add_run("", evaluation.targets);
  return table;
}

std::string per_class_text(const std::vector<std::string>& names, const std::vector<train::ClassReport>& reports,
                        const train::ConfusionMatrix& confusion) {
  const std::size_t width = width_of(names);
  std::string text =
      fmt::format("\n\n{:<{}}{:>10}{:>10}{:>10}{:>10}", "class", width, "precision", "recall", "f1", "count");
  for (std::size_t i = 0; i < reports.size(); ++i)
    text += fmt::format("\n{:<{}}{:>10.4f}{:>10.4f}{:>10.4f}{:>10}", names[i], width, reports[i].precision,
                        reports[i].recall, reports[i].f1, reports[i].support);
  if (names.size() > kMostClassesShown)
    return text + fmt::format("\n\nconfusion matrix: of {} classes; {}", names.size(),
                              confusion.size() > 0 ? "--json has it" : "there is none of so many");
  text += "\n\nconfusion matrix: rows are true classes, columns are predicted classes";
  for (Eigen::Index r = 0; r < confusion.rows(); ++r) {
    text += fmt::format("\n{:<{}}", names[static_cast<std::size_t>(r)], width);
    for (Eigen::Index c = 0; c < confusion.cols(); ++c) text += fmt::format("{:>8}", confusion(r, c));
  }
  return text;
}

/// How far probabilities can be trusted; of numbers there is nothing to say.
double calibration_error(const train::ModelData& model, const train::Evaluation& evaluation) {
  if (model.data.links)
    return link_calibration_error(
        {model.data, model.data.labels, evaluation.predictions, evaluation.items, evaluation.part});
  return train::reliability(model.data.labels, evaluation.predictions, evaluation.items).expected_error;
}

}  // namespace

json::Value evaluation_json(const train::ModelData& model, const train::Evaluation& evaluation) {
  json::Value object = json::Object{{"dataset", model.data.name},
                                    {"part", evaluation.part},
                                    {count_member(model.data), static_cast<std::int64_t>(evaluation.items.size())}};
  if (!model.data.graphs && !model.data.pairs && !model.data.links)
    object.set("reorder", model.inputs.front().order.name);
  if (evaluation.run) {
    object.set("run", *evaluation.run);
    object.set("runs", model.trained.training.runs);
  }
  if (model.data.links) object.set("ranked_among", evaluation.ranked_among);
  object.set("metrics", train::to_json(evaluation.metrics));
  if (model.data.pairs) return object;
  if (!model.data.labels.has_numbers()) object.set(kCalibrationError, calibration_error(model, evaluation));
  if (model.data.links) {
    object.set("others_per_tie", train::kOthersPerTie);
    return object;
  }
  json::Value coverage = coverage_json(model, evaluation);
  if (!coverage.as_array().empty()) object.set("coverage", std::move(coverage));
  if (evaluation.positive_class) object.set("positive_class", *evaluation.positive_class);
  if (!evaluation.targets.empty()) object.set("targets", table_of_targets(evaluation).to_json());
  if (evaluation.classes.empty()) return object;
  object.set("per_class", per_class(model.trained.label_names, evaluation.classes));
  object.set("labels", model.trained.label_names);
  if (evaluation.confusion.size() > 0) object.set("confusion", confusion_json(evaluation.confusion));
  return object;
}

std::string evaluation_text(const std::string& name, const train::ModelData& model,
                            const train::Evaluation& evaluation) {
  const std::vector<std::string>& labels = model.trained.label_names;
  std::string text = fmt::format("{} on {}, {}: {} {}", name, model.data.name, evaluation.part,
                                 evaluation.items.size(), model.data.noun().of(evaluation.items.size()));
  if (model.data.links) text += fmt::format(", each end ranked among {}", evaluation.ranked_among);
  if (evaluation.run)  // the one with the best validation metric, which may have been lucky with its split
    text += fmt::format("\n(of the split of run {} of {}, kept for its validation items: not the mean of the runs)",
                        *evaluation.run + 1, model.trained.training.runs);
  for (const auto& [metric, value] : evaluation.metrics)
    text += fmt::format("\n{:<24}{:>10}", metric, format_metric(value));
  if (model.data.pairs) return text;
  if (!model.data.labels.has_numbers())
    text += fmt::format("\n{:<26}{:>8}", kCalibrationError, format_metric(calibration_error(model, evaluation)));
  if (model.data.links) return text + "  (among as many pairs without a tie)";
  text += coverage_text(model, evaluation);
  if (evaluation.positive_class)
    text += fmt::format("\n(roc_auc and average_precision: \"{}\" against \"{}\")", *evaluation.positive_class,
                        labels[*evaluation.positive_class == labels[0] ? 1 : 0]);
  if (!evaluation.targets.empty()) text += "\n\n" + table_of_targets(evaluation).to_text();
  if (!evaluation.classes.empty()) text += per_class_text(labels, evaluation.classes, evaluation.confusion);
  return text;
}

}  // namespace edgewise::report
