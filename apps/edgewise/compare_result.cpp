#include "compare_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/runs.hpp"
#include "results.hpp"

namespace edgewise::app {
namespace {

/// Indices of the contenders, best validation metric first.
std::vector<std::size_t> ranking(const Comparison& comparison) {
  std::vector<std::size_t> order(comparison.contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto mean = [&](std::size_t i) { return train::summarise(comparison.contenders[i].validation).mean; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return train::is_better(comparison.metric, mean(a), mean(b));
  });
  return order;
}

/// A contender beside the best one.
json::Value to_json(const train::Contender& contender, const train::Contender& best, const Comparison& comparison) {
  const train::Difference behind = train::difference(contender, best, comparison.metric, comparison.sample);
  json::Value difference;
  difference.set("mean", behind.mean);
  difference.set("std", behind.std);
  difference.set("is_clear", behind.is_clear());
  json::Value model;
  model.set("model", contender.model);
  model.set("validation", train::to_json(train::summarise(contender.validation)));
  model.set("test", train::to_json(train::summarise(contender.test)));
  model.set("beside_best", std::move(difference));
  model.set("seconds", contender.seconds);
  return model;
}

/// The lines below the table. There is no verdict unless all models were run.
std::vector<std::string> verdict_of(const train::JobData& data, const Comparison& comparison, std::size_t planned) {
  if (comparison.was_stopped)
    return {fmt::format("interrupted: {} of {} finished", comparison.contenders.size(), counted(planned, "model"))};
  return train::verdict(comparison.contenders, comparison.metric, comparison.sample, train::surroundings_of(data));
}

/// Formats a member "beside_best" as "+0.0120 ± 0.0034 *".
std::string format_difference(const json::Value& beside, std::size_t runs) {
  const double mean = beside.at("mean").as_number();
  if (std::isnan(mean)) return "-";
  const int decimals = decimals_of(mean);
  const std::string spread = runs > 1 ? fmt::format(" ± {:.{}f}", beside.at("std").as_number(), decimals) : "";
  return fmt::format("{:+.{}f}{}{}", mean, decimals, spread, beside.at("is_clear").as_bool() ? " *" : "  ");
}

}  // namespace

json::Value compare_result(const train::JobData& data, const Comparison& comparison, std::size_t planned) {
  json::Value object;
  object.set("schema", kCompareSchema);
  object.set("dataset", data.name);
  object.set("metric", comparison.metric);
  object.set("threads", threads());
  const train::Contender& best = comparison.contenders[train::best_of(comparison.contenders, comparison.metric)];
  json::Array models;
  for (const std::size_t place : ranking(comparison))
    models.push_back(to_json(comparison.contenders[place], best, comparison));
  object.set("models", std::move(models));
  object.set("best", best.model);
  object.set("verdict", verdict_of(data, comparison, planned));
  object.set("interrupted", comparison.was_stopped);
  return object;
}

std::string compare_text(const json::Value& object) {
  const json::Array& models = object.at("models").as_array();
  const std::size_t runs = models.front().at("test").at("values").as_array().size();
  std::string text =
      fmt::format("{} on {}, {}, the same splits and seeds for all\n", object.at("metric").as_string(),
                  object.at("dataset").as_string(), counted(runs, "run"));
  text += fmt::format("{:<24}{:>16}{:>20}{:>22}{:>10}", "", "validation", "test", "beside the best", "time");
  const std::string& best = object.at("best").as_string();
  for (const json::Value& model : models) {
    const json::Value& beside = model.at("beside_best");
    const std::string by = model.at("model").as_string() == best ? "best" : format_difference(beside, runs);
    text += fmt::format("\n{:<24}{:>16}{:>20}{:>22}{:>8.1f} s", model.at("model").as_string(),
                        format_summary(model.at("validation")), format_summary(model.at("test")), by,
                        model.at("seconds").as_number());
  }
  text += "\n(test, run by run; + is better; * more than two standard errors from 0)\n";
  for (const json::Value& line : object.at("verdict").as_array()) text += "\n" + line.as_string();
  return text;
}

std::string shares_table(const json::Array& shares) {
  std::string text =
      fmt::format("test {} by share of the training items\n{:<20}", shares.front().at("metric").as_string(), "");
  for (const json::Value& share : shares) text += fmt::format("{:>20}", share.at("share").as_number());
  for (const json::Value& first : shares.front().at("models").as_array()) {
    const std::string& name = first.at("model").as_string();
    text += fmt::format("\n{:<20}", name);
    for (const json::Value& share : shares)
      for (const json::Value& model : share.at("models").as_array())
        if (model.at("model").as_string() == name) text += fmt::format("{:>20}", format_summary(model.at("test")));
  }
  return text;
}

}  // namespace edgewise::app
