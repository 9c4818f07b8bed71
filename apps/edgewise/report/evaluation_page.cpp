#include "report/evaluation_page.hpp"

#include <fmt/format.h>

#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "report/html_page.hpp"
#include "report/model_tables.hpp"
#include "report/quality.hpp"
#include "report/run_facts.hpp"
#include "results.hpp"

namespace edgewise::app {
namespace {

/// The metric that the model was chosen by.
std::string metric_of(const EvaluationPage& page) {
  const json::Value* chosen = json::find_at(page.model.trained.training, "options.metric");
  const std::string name = chosen != nullptr && chosen->is_string() ? chosen->as_string() : "";
  return train::checked_metric(name, page.model.data.labels);
}

/// The items of training; on other data those that are evaluated.
std::vector<graph::Node> learnt_items(const EvaluationPage& page, const std::optional<data::Split>& split) {
  if (!split) return page.evaluation.items;
  return train::labelled(page.model.data.labels, data::nodes_with_role(*split, data::Role::train));
}

std::string metric_table(const json::Value& result) {
  Table table{.columns = {{"", true}, {result.at("part").as_string()}}};
  for (const auto& [name, value] : result.at("metrics").as_object())
    table.rows.push_back({name, format_metric(value.as_number_or_nan())});
  if (const json::Value* error = result.find(kCalibrationError))
    table.rows.push_back({kCalibrationError, format_metric(error->as_number_or_nan())});
  return to_html(table);
}

/// Which of two classes the areas are about, and which of several runs the model is of.
std::string remarks(const EvaluationPage& page) {
  std::string text;
  if (page.evaluation.positive_class)
    text += remark(fmt::format("roc_auc and average_precision are about \"{}\".", *page.evaluation.positive_class));
  if (page.evaluation.run)
    text += remark(fmt::format("The items are those of the split of run {} of {}, kept for its validation items: not "
                               "the mean of the runs.",
                               *page.evaluation.run + 1, page.result.at("runs").as_integer()));
  return text;
}

}  // namespace

std::string to_html(const EvaluationPage& page) {
  const train::ModelData& model = page.model;
  const train::Evaluation& evaluation = page.evaluation;
  const Scored scored{model.data, model.data.labels, evaluation.predictions, evaluation.items, evaluation.part};
  const std::optional<data::Split> split = train::training_split(model.trained, model.data);
  const std::vector<graph::Node> learnt = learnt_items(page, split);
  const std::vector<double> deviations = model.trained.scaler.deviation();
  const std::string metric = metric_of(page), path = page.result.at("model").as_string();
  const double value = train::metric(evaluation.metrics, metric);
  std::string body = metric_table(page.result) + remarks(page);
  if (const json::Value* targets = page.result.find("targets")) body += target_table(*targets);
  body += quality_sections(scored) + data_section(model.data, split, page.notes);
  body += repeat_section({.command = page.command,
                          .more = {{"model", path}},
                          .settings_name = "how the model was trained",
                          .settings = model.trained.training});
  return to_html(Page{.title = fmt::format("{} on {}", printable(path, 80), printable(model.data.name, 80)),
                      .answer = answer_of(scored, {path, metric, format_metric(value), value, learnt, deviations}),
                      .body = body});
}

}  // namespace edgewise::app
