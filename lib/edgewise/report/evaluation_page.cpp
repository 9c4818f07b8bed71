#include "edgewise/report/evaluation_page.hpp"

#include <fmt/format.h>

#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/report/item_map.hpp"
#include "edgewise/report/link_quality.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/report/model_tables.hpp"
#include "edgewise/report/quality.hpp"
#include "edgewise/report/run_facts.hpp"
#include "edgewise/report/target_table.hpp"
#include "edgewise/train/loop/curves.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/model/known_items.hpp"

namespace edgewise::report {
namespace {

/// The metric that the model was chosen by.
std::string metric_of(const EvaluationPage& page) {
  return train::checked_metric(page.model.trained.training.metric(), page.model.data.labels);
}

/// The items of training; on other data those that are evaluated.
std::vector<graph::Node> learnt_items(const EvaluationPage& page, const std::optional<data::Split>& split) {
  if (!split) return page.evaluation.items;
  return train::labelled(page.model.data.labels, data::nodes_with_role(*split, data::Role::train));
}

double calibration_error(const Scored& scored) {
  if (scored.labels.task.has_candidates) return link_calibration_error(scored);
  return train::reliability(scored.labels, scored.predictions, scored.items).expected_error;
}

std::string metric_table(const EvaluationPage& page, const Scored& scored) {
  const train::Evaluation& evaluation = page.evaluation;
  Table table{.columns = {{"", true}, {evaluation.part}}};
  for (const auto& [name, value] : evaluation.metrics) table.rows.push_back({name, format_metric(value)});
  if (!scored.labels.has_numbers())
    table.rows.push_back({kCalibrationError, format_metric(calibration_error(scored))});
  return to_html(table);
}

std::string targets_of(const train::Evaluation& evaluation) {
  if (evaluation.targets.empty()) return "";
  TargetTable table;
  table.add_run("", evaluation.targets);
  return target_table(table.to_json());
}

/// Which of two classes the areas are about, and which of several runs the model is of.
std::string remarks(const EvaluationPage& page) {
  std::string text;
  if (page.evaluation.positive_class)
    text += remark(fmt::format("roc_auc and average_precision are about \"{}\".", *page.evaluation.positive_class));
  if (page.evaluation.run)
    text +=
        remark(fmt::format("The items are those of the split of run {} of {}, kept for its validation items: not "
                           "the mean of the runs.",
                           *page.evaluation.run + 1, page.model.trained.training.runs));
  return text;
}

}  // namespace

std::optional<ItemPlaces> places_of(train::ModelData& model, const train::Evaluation& evaluation) {
  return item_places(model.data, evaluation.predictions, [&](std::span<const graph::Node> items) {
    return train::embeddings(model.trained.model, *model.inputs.front().batches(model.data), items);
  });
}

std::string to_html(const EvaluationPage& page) {
  const train::ModelData& model = page.model;
  const train::Evaluation& evaluation = page.evaluation;
  const Scored scored{model.data, model.data.labels, evaluation.predictions, evaluation.items, evaluation.part};
  const std::optional<data::Split> split = train::training_split(model.trained, model.data);
  const std::vector<graph::Node> learnt = learnt_items(page, split);
  const std::vector<double> deviations = model.trained.scaler.deviation();
  const std::string metric = metric_of(page);
  const double value = train::metric(evaluation.metrics, metric);
  std::string body = metric_table(page, scored) + remarks(page) + targets_of(evaluation);
  body += quality_sections(scored) + map_section(scored, page.places, evaluation.deviations);
  body += data_section(model.data, split, page.notes);
  body += repeat_section({.command = page.command,
                          .more = {{"model", page.name}},
                          .settings_name = "how the model was trained",
                          .settings = model.trained.training.to_json()});
  return to_html(Page{.title = fmt::format("{} on {}", printable(page.name, 80), printable(model.data.name, 80)),
                      .answer = answer_of(scored, {page.name, metric, format_metric(value), value, learnt, deviations}),
                      .body = body});
}

}  // namespace edgewise::report
