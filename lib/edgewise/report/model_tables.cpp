#include "edgewise/report/model_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "edgewise/report/html_page.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/report/quality.hpp"
#include "edgewise/report/svg_chart.hpp"

namespace edgewise::report {
namespace {

constexpr std::size_t kMostModels = 40;  // in a chart

ValueRow::Value value_of(const json::Value& summary) {
  const double spread = summary.at("std").as_number_or_nan();
  return {summary.at("mean").as_number_or_nan(), std::isfinite(spread) ? spread : 0};
}

/// The metrics of these parts of each model; `models` are objects with a "model" and the parts.
Figure models_figure(const json::Array& models, const std::string& metric, const std::vector<std::string>& parts) {
  std::vector<ValueRow> rows;
  std::string words;
  bool has_spread = false;
  for (std::size_t i = 0; i < std::min(models.size(), kMostModels); ++i) {
    ValueRow row{.label = models[i].at("model").as_string(), .values = {}};
    words += fmt::format("{}{}", words.empty() ? "" : "; ", row.label);
    for (const std::string& part : parts) {
      row.values.push_back(value_of(models[i].at(part)));
      has_spread = has_spread || row.values.back().spread > 0;
      words += fmt::format(" {} {}", part, format_summary(models[i].at(part)));
    }
    rows.push_back(std::move(row));
  }
  const std::string title = fmt::format("{} on the {} items", metric, fmt::join(parts, " and "));
  return {draw_rows(title, words, rows, parts, plain_number),
          fmt::format("{}{}", has_spread ? "Bars are the standard deviation over the runs. " : "",
                      models.size() > kMostModels ? fmt::format("The first {} of {}.", kMostModels, models.size())
                                                  : "")};
}

std::string seconds(const json::Value& value) { return fmt::format("{:.1f} s", value.as_number()); }

/// What became of a model over the runs.
std::string outcome(const json::Value& model) {
  const auto count = [&](const char* name) { return model.at(name).as_integer(); };
  if (count("kept") > 0) return count("kept") == 1 ? "kept" : fmt::format("kept in {} runs", count("kept"));
  if (count("averaged") > 0) return "averaged";
  if (model.at("is_baseline").as_bool()) return "no model to keep";
  return count("given_up") > 0 ? "given up early" : "";
}

}  // namespace

std::string choice_section(const json::Value& choice) {
  Table table{.columns = {{"tried", true}, {"validation"}, {"epochs"}, {"time"}, {"", true}}};
  for (const json::Value& model : choice.at("models").as_array())
    table.rows.push_back({model.at("model").as_string(), format_summary(model.at("validation")),
                          model.at("epochs").as_integer() == 0 ? "" : std::to_string(model.at("epochs").as_integer()),
                          seconds(model.at("seconds")),
                          outcome(model)});
  return heading("Models tried") +
         figures({models_figure(choice.at("models").as_array(), choice.at("metric").as_string(), {"validation"})}) +
         to_html(table);
}

std::string comparison_section(const json::Value& result) {
  const json::Array& models = result.at("models").as_array();
  Table table{.columns = {{"model", true}, {"validation"}, {"test"}, {"beside the best"}, {"clear", true}, {"time"}}};
  for (const json::Value& model : models) {
    const json::Value& beside = model.at("beside_best");
    const bool is_best = model.at("model") == result.at("best");
    table.rows.push_back({model.at("model").as_string(), format_summary(model.at("validation")),
                          format_summary(model.at("test")),
                          is_best ? "best" : format_difference(beside.at("mean").as_number_or_nan()),
                          beside.at("is_clear").as_bool() ? "yes" : "", seconds(model.at("seconds"))});
  }
  return figures({models_figure(models, result.at("metric").as_string(), {"validation", "test"})}) + to_html(table) +
         remark("Beside the best: the difference on the test items, run by run; positive is better. It is clear if it "
                "is more than two standard errors from 0.");
}

std::string target_table(const json::Value& targets) {
  const json::Array& all = targets.as_array();
  Table table{.caption = "Each target", .columns = {{"target", true}}};
  for (std::size_t i = 0; i < std::min(all.size(), kMostRows); ++i) {
    const json::Value* test = all[i].find("test");
    std::vector<Cell> row = {all[i].at("target").as_string()};
    for (const auto& [name, value] : (test != nullptr ? *test : all[i]).as_object()) {
      if (name == "target" || name == "validation") continue;
      if (i == 0) table.columns.push_back({name});
      row.emplace_back(value.is_object() ? format_summary(value) : format_metric(value.as_number_or_nan()));
    }
    table.rows.push_back(std::move(row));
  }
  return to_html(table) +
         (all.size() > kMostRows ? remark(fmt::format("The first {} of {} targets.", kMostRows, all.size())) : "");
}

}  // namespace edgewise::report
