#include "edgewise/report/train_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/report/item_map.hpp"
#include "edgewise/report/learning_curves.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/report/model_tables.hpp"
#include "edgewise/report/quality.hpp"
#include "edgewise/report/run_facts.hpp"
#include "edgewise/report/svg_chart.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/model/model_input.hpp"

namespace edgewise::report {
namespace {

std::vector<graph::Node> items_with(const TrainPage& page, data::Role role) {
  return train::labelled(page.data.labels, data::nodes_with_role(page.runs.set.best().split, role));
}

/// Pretraining has predictions of something else than labels.
bool has_predictions(const TrainPage& page) {
  const train::Run& best = page.runs.set.best();
  return best.predictions.rows() == static_cast<Eigen::Index>(page.data.items().size()) &&
         (page.data.labels.task.has_candidates ||
          best.predictions.cols() == static_cast<Eigen::Index>(page.data.labels.names.size())) &&
         best.split.size() == page.data.items().size() && !page.data.labels.names.empty();
}

/// The test part, or the validation part if there is none.
Scored scored_by(const TrainPage& page) {
  const train::Run& best = page.runs.set.best();
  Scored scored{page.data, page.data.labels, best.predictions, items_with(page, data::Role::test), "test"};
  if (!scored.items.empty()) return scored;
  scored.items = items_with(page, data::Role::validation);
  scored.part = "validation";
  return scored;
}

std::string answer_of(const TrainPage& page, const Scored& scored) {
  const std::string metric = page.result.at("metric").as_string(), model = page.result.at("model").as_string();
  const json::Value* summary = page.result.at(scored.part).find(metric);
  if (scored.items.empty() || summary == nullptr)
    return fmt::format("{} was trained; no test or validation item has a known label, so nothing says how good it is.",
                       model);
  const train::Run& best = page.runs.set.best();
  const std::vector<double> deviations =
      best.trained ? best.trained->scaler.deviation() : best.report.scaler.deviation();
  const std::vector<graph::Node> learnt = items_with(page, data::Role::train);
  std::string score = format_summary(*summary);
  if (page.runs.set.size() > 1) score += fmt::format(", the mean over {} runs,", page.runs.set.size());
  std::string text = answer_of(scored, Answer{model, metric, score, summary->at("mean").as_number_or_nan(), learnt,
                                              deviations});
  if (scored.part == "validation") text += " There are no test items: the model was chosen by these, so expect less.";
  return text;
}

std::string metric_table(const TrainPage& page) {
  const bool has_runs = page.runs.set.size() > 1;
  Table table{.caption = has_runs ? fmt::format("Mean and standard deviation over {} runs", page.runs.set.size()) : "",
              .columns = {{"", true}, {"training"}, {"validation"}, {"test"}}};
  constexpr std::array kParts = {"train", "validation", "test"};
  const auto measured = std::ranges::find_if(kParts, [&](const char* part) {  // ties of the training are not
    return !page.result.at(part).as_object().empty();
  });
  if (measured == kParts.end()) return "";
  for (const auto& [name, summary] : page.result.at(*measured).as_object()) {
    std::vector<Cell> row = {name};
    for (const char* part : kParts) {
      const json::Value* found = page.result.at(part).find(name);
      row.emplace_back(found == nullptr ? "-" : format_summary(*found));
    }
    table.rows.push_back(std::move(row));
  }
  return to_html(table);
}

std::string size_and_time(const TrainPage& page) {
  const json::Value& result = page.result;
  return fmt::format("{}: {}, {}, {} in all, {:.1f} s, {:.0f} MiB.", result.at("model").as_string(),
                     counted(static_cast<std::size_t>(result.at("parameters").as_integer()), "parameter"),
                     counted(page.runs.set.size(), "run"),
                     counted(static_cast<std::size_t>(result.at("epochs").as_integer()), "epoch"),
                     result.at("seconds").as_number(), result.at("peak_rss_mib").as_number());
}

/// Which run the charts are of.
std::string which_run(const TrainPage& page) {
  if (page.runs.set.size() < 2) return "";
  return paragraph(fmt::format("The charts are of run {} of {}, whose model is kept.", page.runs.set.best_index() + 1,
                               page.runs.set.size()));
}

}  // namespace

std::optional<ItemPlaces> places_of(train::TrainedRuns& runs, const train::Dataset& data,
                                    const train::SplitConfig& split) {
  train::Run& best = runs.set.best();
  Embed embed;
  if (best.trained)
    embed = [&](std::span<const graph::Node> items) {
      const std::vector<train::ModelInput> inputs = train::make_inputs(*best.trained, data, {.split = split});
      return train::embeddings(best.trained->model, *inputs.front().batches(data), items);
    };
  return item_places(data, best.predictions, embed);
}

std::string to_html(const TrainPage& page) {
  const train::Run& best = page.runs.set.best();
  const bool is_scored = has_predictions(page);
  const std::string model = page.result.at("model").as_string();
  std::string body = paragraph(size_and_time(page));
  if (const json::Value* choice = page.result.find("choice")) body += paragraph(choice->at("reason").as_string());
  if (page.runs.was_stopped) body += paragraph("Training was interrupted; these are the results up to then.");
  body += metric_table(page);
  if (const json::Value* targets = page.result.find("targets")) body += target_table(*targets);
  body += which_run(page);
  std::string answer = fmt::format("{} was trained; it predicts no labels.", model);
  if (is_scored) {
    const Scored scored = scored_by(page);
    answer = answer_of(page, scored);
    body += quality_sections(scored) + map_section(scored, page.places, best.deviations);
  }
  body += learning_section(best, model, page.epochs.of(static_cast<std::int64_t>(page.runs.set.best_index())));
  if (const json::Value* choice = page.result.find("choice")) body += choice_section(*choice);
  body += data_section(page.data, is_scored ? std::optional(best.split) : std::nullopt, best.notes);
  body += repeat_section({.command = page.command,
                          .seed = page.config.training.seed,
                          .more = {},
                          .settings_name = "the configuration, for --config",
                          .settings = page.result.at("config")});
  return to_html(Page{.title = fmt::format("Training on {}", printable(page.data.name, 80)),
                      .answer = answer,
                      .body = body});
}

}  // namespace edgewise::report
