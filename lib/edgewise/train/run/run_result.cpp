#include "edgewise/train/run/run_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/train/loop/train_options.hpp"
#include "edgewise/train/targets/read_metric.hpp"

namespace edgewise::train {
namespace {

std::int64_t count_member(const json::Value& object, const char* member) {
  return json::Required<json::Integer<0>>::read(object, member, std::int64_t{0});
}

double seconds_member(const json::Value& object) {
  return json::Required<json::Number<0.0, std::numeric_limits<double>::max()>>::read(object, "seconds", 0.0);
}

json::Value targets_to_json(const std::vector<TargetMetrics>& targets) {
  json::Array list;
  for (const TargetMetrics& one : targets)
    list.emplace_back(json::Object{{"target", one.target}, {"metrics", to_json(one.metrics)}});
  return list;
}

/// Those of all targets, or none.
std::vector<TargetMetrics> targets_from_json(const json::Value& value, const std::vector<std::string>& names) {
  std::vector<TargetMetrics> targets;
  const json::Array& list = value.as_array();
  if (!list.empty() && list.size() != names.size())
    throw UsageError(fmt::format("{}: expected {} targets, got {}", value.path(), names.size(), list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string& target = list[i].at("target").as_string();
    if (target != names[i])
      throw UsageError(fmt::format("{}: expected \"{}\", got \"{}\"", list[i].at("target").path(), names[i], target));
    targets.push_back({target, metrics_from_json(list[i].at("metrics"))});
  }
  return targets;
}

/// Throws UsageError unless `object` is about the metric of the job.
std::string metric_member(const json::Value& object, const std::string& expected) {
  const json::Value& metric = object.at("metric");
  if (metric.as_string() != expected)
    throw UsageError(fmt::format("{}: expected \"{}\", got \"{}\"", metric.path(), expected, metric.as_string()));
  return expected;
}

json::Value report_to_json(const Report& report) {
  return json::Object{{"epochs", report.epochs},
                      {"best_epoch", report.best_epoch},
                      {"epoch_ms", report.epoch_ms},
                      {"seconds", report.seconds},
                      {"metric", report.metric},
                      {"train", to_json(report.train)},
                      {"validation", to_json(report.validation)},
                      {"test", to_json(report.test)}};
}

/// The metrics of a part of the items, or none.
Metrics part_from_json(const json::Value& report, const char* part, const JobMetrics& job) {
  const json::Value& value = report.at(part);
  Metrics metrics = metrics_from_json(value);
  std::vector<std::string> names;
  for (const auto& [name, number] : metrics) names.push_back(name);
  if (!names.empty() && names != job.names)
    throw UsageError(fmt::format("{}: expected {}", value.path(), fmt::join(job.names, ", ")));
  return metrics;
}

Report report_from_json(const json::Value& value, const JobMetrics& job) {
  Report report;
  report.epochs = count_member(value, "epochs");
  report.best_epoch = count_member(value, "best_epoch");
  report.epoch_ms = value.at("epoch_ms").as_number_or_nan();
  report.seconds = seconds_member(value);
  report.metric = metric_member(value, job.metric);
  report.train = part_from_json(value, "train", job);
  report.validation = part_from_json(value, "validation", job);
  report.test = part_from_json(value, "test", job);
  if (report.best_epoch > report.epochs) json::refuse(value, "best_epoch", "expected an epoch of the run");
  if (report.epoch_ms < 0) json::refuse(value, "epoch_ms", "expected a time of at least 0");
  return report;
}

/// The order that was used, so never "auto"; "" for an average of models.
std::string order_from_json(const json::Value& value) {
  const std::string order = value.at("order").as_string();
  if (order == "auto") json::refuse(value, "order", "expected the order that was used");
  if (!order.empty()) parse_train_options(json::Object{{"reorder", order}});
  return order;
}

}  // namespace

json::Value to_json(const Choice& choice) {
  json::Array candidates;
  for (const Candidate& one : choice.candidates)
    candidates.emplace_back(json::Object{{"model", one.model},
                                         {"validation", one.validation},
                                         {"epochs", one.epochs},
                                         {"seconds", one.seconds},
                                         {"was_dropped", one.was_dropped},
                                         {"is_baseline", one.is_baseline},
                                         {"is_averaged", one.is_averaged}});
  return json::Object{{"metric", choice.metric},
                      {"candidates", std::move(candidates)},
                      {"chosen", choice.chosen},
                      {"reason", choice.reason}};
}

json::Value to_json(const RunResult& result) {
  json::Object object{{"report", report_to_json(result.report)},
                      {"split_mark", result.split_mark},
                      {"validation_targets", targets_to_json(result.validation_targets)},
                      {"test_targets", targets_to_json(result.test_targets)},
                      {"parameters", static_cast<std::int64_t>(result.parameters)},
                      {"inputs", static_cast<std::int64_t>(result.inputs)},
                      {"order", result.order}};
  if (result.choice) object.emplace_back("choice", to_json(*result.choice));
  return object;
}

Choice choice_from_json(const json::Value& value, const std::string& metric) {
  Choice choice{.metric = metric_member(value, metric),
                .candidates = {},
                .chosen = value.at("chosen").as_string(),
                .reason = value.at("reason").as_string()};
  for (const json::Value& one : value.at("candidates").as_array())
    choice.candidates.push_back({.model = one.at("model").as_string(),
                                 .validation = read_metric(one.at("validation"), metric),
                                 .epochs = count_member(one, "epochs"),
                                 .seconds = seconds_member(one),
                                 .was_dropped = one.at("was_dropped").as_bool(),
                                 .is_baseline = one.at("is_baseline").as_bool(),
                                 .is_averaged = one.get("is_averaged", false)});
  return choice;
}

RunResult run_result_from_json(const json::Value& value, const JobMetrics& job) {
  RunResult result{.report = report_from_json(value.at("report"), job),
                   .split = {},
                   .split_mark = value.at("split_mark").as_string(),
                   .validation_targets = targets_from_json(value.at("validation_targets"), job.targets),
                   .test_targets = targets_from_json(value.at("test_targets"), job.targets),
                   .choice = {},
                   .parameters = static_cast<std::size_t>(count_member(value, "parameters")),
                   .inputs = static_cast<std::size_t>(count_member(value, "inputs")),
                   .order = order_from_json(value)};
  if (const json::Value* choice = value.find("choice")) result.choice = choice_from_json(*choice, job.metric);
  return result;
}

}  // namespace edgewise::train
