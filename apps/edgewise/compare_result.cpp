#include "compare_result.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/report/metric_text.hpp"

namespace edgewise::app {
namespace {

/// A member "beside_best" as "+0.0120 ± 0.0034 *".
std::string beside_best(const json::Value& beside, std::size_t runs) {
  const double mean = beside.at("mean").as_number();
  if (std::isnan(mean)) return "-";
  const std::string spread = runs > 1 ? " ± " + report::format_beside(beside.at("std").as_number(), mean) : "";
  return report::format_difference(mean) + spread + (beside.at("is_clear").as_bool() ? " *" : "  ");
}

}  // namespace

json::Value compare_result(const train::Dataset& data, const train::Comparison& comparison, std::size_t planned) {
  json::Value object = json::Object{{"schema", kCompareSchema}, {"dataset", data.name}, {"threads", threads()}};
  for (auto& [name, value] : json::Object(train::to_json(comparison, data, planned).as_object()))
    object.set(name, std::move(value));
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
    const std::string by = model.at("model").as_string() == best ? "best" : beside_best(beside, runs);
    text += fmt::format("\n{:<24}{:>16}{:>20}{:>22}{:>8.1f} s", model.at("model").as_string(),
                        report::format_summary(model.at("validation")), report::format_summary(model.at("test")), by,
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
        if (model.at("model").as_string() == name)
          text += fmt::format("{:>20}", report::format_summary(model.at("test")));
  }
  return text;
}

}  // namespace edgewise::app
