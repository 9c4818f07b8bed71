#include "edgewise/report/comparison_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "edgewise/core/text.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/report/model_tables.hpp"
#include "edgewise/report/run_facts.hpp"
#include "edgewise/report/shares_chart.hpp"
#include "edgewise/report/svg_chart.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"

namespace edgewise::report {
namespace {

constexpr std::size_t kMostSteps = 2000;  // drawn
constexpr std::size_t kBestSteps = 10;    // in a table

/// The best model of a comparison.
const json::Value& best_of(const json::Value& result) {
  const json::Array& models = result.at("models").as_array();
  return *std::ranges::find_if(models, [&](const json::Value& one) { return one.at("model") == result.at("best"); });
}

std::size_t runs_of(const json::Value& result) {
  return best_of(result).at("test").at("values").as_array().size();
}

std::string answer_of(const json::Value& result) {
  const json::Value& best = best_of(result);
  return fmt::format("{} is the best of {} on the validation items; it has {} {} on the test items ({}).",
                     best.at("model").as_string(), counted(result.at("models").as_array().size(), "model"),
                     result.at("metric").as_string(), format_summary(best.at("test")),
                     counted(runs_of(result), "run"));
}

std::vector<std::string> verdict_of(const json::Value& result) {
  std::vector<std::string> lines;
  for (const json::Value& line : result.at("verdict").as_array()) lines.push_back(line.as_string());
  return lines;
}

std::string percent(const json::Value& share) { return fmt::format("{:g} %", 100 * share.at("share").as_number()); }

std::string answer_over_shares(const json::Array& shares) {
  std::string text;
  for (const json::Value& share : shares)
    text += fmt::format("{} {} {} {} {}", text.empty() ? "The best with" : ", with", percent(share),
                        text.empty() ? "of the training items is" : "it is", share.at("best").as_string(),
                        text.empty() ? fmt::format("(test {} {})", share.at("metric").as_string(),
                                                   format_summary(best_of(share).at("test")))
                                     : fmt::format("({})", format_summary(best_of(share).at("test"))));
  return text + ".";
}

std::string shares_body(const train::Dataset& data, const json::Array& shares) {
  std::string text = figures({{draw(shares_chart(data.name, shares)),
                               "The test metric of each model over the share of the training items that it learnt "
                               "from, with the standard deviation over its runs."}});
  for (const json::Value& share : shares)
    text += heading(fmt::format("With {} of the training items", percent(share))) + list(verdict_of(share)) +
            comparison_section(share);
  return text;
}

std::string page_of(const ComparisonPage& page, const std::string& what, const std::string& answer,
                    const std::string& body, HowMade how) {
  how.command = page.command;
  how.seed = page.config.training.seed;
  return to_html(Page{.title = fmt::format("{} on {}", what, printable(page.data.name, 80)),
                      .answer = answer,
                      .body = body + data_section(page.data, std::nullopt, {}) + repeat_section(how)});
}

/// The trainings of a search by the number of their epochs.
Figure search_figure(const train::Search& search) {
  Chart chart{.title = fmt::format("{} on the validation items", search.metric),
              .x = {.label = "training"},
              .y = {.label = search.metric}};
  std::map<std::int64_t, Series> rungs;
  for (const std::size_t i : even_places(search.steps.size(), kMostSteps)) {
    const train::TuningStep& step = search.steps[i];
    Series& series = rungs[step.epochs];
    series.points.emplace_back(static_cast<double>(i + 1), step.validation);
    series.names.push_back(fmt::format("trial {}: {}", step.trial.number, json::dump(step.trial.settings)));
  }
  for (auto& [epochs, series] : rungs) {
    series.label = counted(static_cast<std::size_t>(epochs), "epoch");
    series.style = series_style(chart.series.size());
    series.drawn = Drawn::marks;
    chart.series.push_back(std::move(series));
  }
  chart.description = fmt::format("{} trainings; the best has {}", search.steps.size(),
                                  format_metric(search.best->validation));
  return {draw(chart), fmt::format("Each mark is one training. Only the best third of a rung is trained for longer.{}",
                                   search.steps.size() > kMostSteps
                                       ? fmt::format(" {} of {} are drawn.", kMostSteps, search.steps.size())
                                       : "")};
}

std::string step_table(const train::Search& search) {
  std::vector<const train::TuningStep*> steps;
  for (const train::TuningStep& step : search.steps)
    if (!std::isnan(step.validation)) steps.push_back(&step);
  std::ranges::stable_sort(steps, [&](const auto* a, const auto* b) {
    return a->epochs != b->epochs ? a->epochs > b->epochs
                                  : train::is_better(search.metric, a->validation, b->validation);
  });
  steps.resize(std::min(steps.size(), kBestSteps));
  Table table{.caption = "The best of the longest trainings",
              .columns = {{"trial"}, {"epochs"}, {"validation"}, {"time"}, {"settings", true}}};
  for (const train::TuningStep* step : steps)
    table.rows.push_back({std::to_string(step->trial.number), std::to_string(step->epochs),
                          format_metric(step->validation), fmt::format("{:.1f} s", step->seconds),
                          json::dump(step->trial.settings)});
  return to_html(table);
}

/// The best of the models as they are by default, which are the first trials.
std::string beside_defaults(const train::Search& search, std::size_t models) {
  std::vector<train::TuningStep> defaults;
  for (const train::TuningStep& step : search.steps)
    if (step.trial.number < static_cast<std::int64_t>(models)) defaults.push_back(step);
  const train::TuningStep* best = train::best_step(defaults, search.metric);
  if (best == nullptr) return "";
  if (best->trial.number == search.best->trial.number)
    return " These are the defaults: no drawn settings were better after as many epochs.";
  return fmt::format(" The best by default has {}.", format_metric(best->validation));
}

}  // namespace

std::string comparison_page(const ComparisonPage& page) {
  const HowMade how{.settings_name = "the configuration of all models", .settings = train::to_json(page.config)};
  if (const json::Value* shares = page.result.find("shares"))
    return page_of(page, "Models compared", answer_over_shares(shares->as_array()),
                   shares_body(page.data, shares->as_array()), how);
  return page_of(page, "Models compared", answer_of(page.result),
                 list(verdict_of(page.result)) + comparison_section(page.result), how);
}

std::string tuning_page(const ComparisonPage& page, const train::Search& search, std::size_t models,
                        const std::string& out) {
  const train::TuningStep& best = *search.best;
  const std::string answer = fmt::format(
      "The best of {} has {} {} on the validation items after {}.{}",
      counted(static_cast<std::size_t>(page.result.at("trials").as_integer()), "trial"), search.metric,
      format_metric(best.validation), counted(static_cast<std::size_t>(best.epochs), "epoch"),
      beside_defaults(search, models));
  std::string body = paragraph(fmt::format("Trial {}: {}", best.trial.number, json::dump(best.trial.settings)));
  if (!out.empty()) body += paragraph(fmt::format("Train it: edgewise train --config {}", out));
  body += remark("The search looks at the validation items again and again, so that this figure is better than what "
                 "to expect of others; the test items had no part in it.");
  body += figures({search_figure(search)}) + step_table(search);
  return page_of(page, "Search for a configuration", answer, body,
                 {.settings_name = "the best configuration, for --config", .settings = train::to_json(search.found)});
}

}  // namespace edgewise::report
