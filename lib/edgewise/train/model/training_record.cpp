#include "edgewise/train/model/training_record.hpp"

#include <algorithm>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/train/targets/read_metric.hpp"

namespace edgewise::train {
namespace {

std::int64_t count_of(const json::Value& record, const char* member, std::int64_t fallback = 0) {
  return json::Integer<0>::read(record, member, fallback);
}

Metrics metrics_of(const json::Value& record, const char* part) {
  const json::Value* metrics = record.find(part);
  return metrics == nullptr ? Metrics{} : metrics_from_json(*metrics);
}

}  // namespace

std::string TrainingRecord::metric() const {
  const json::Value* chosen = options.find("metric");
  return chosen != nullptr && chosen->is_string() ? chosen->as_string() : "";
}

json::Value TrainingRecord::to_json() const {
  json::Value record;
  record.set("version", version);
  record.set("seed", seed);
  record.set("run", run);
  record.set("runs", runs);
  record.set("split_mark", split_mark);
  if (positive_class) record.set("positive_class", *positive_class);
  record.set("model", model.json());
  record.set("options", options);
  if (!from.empty()) record.set("from", from);
  record.set("epochs", epochs);
  record.set("best_epoch", best_epoch);
  record.set("validation", train::to_json(validation));
  record.set("test", train::to_json(test));
  return record;
}

TrainingRecord TrainingRecord::from_json(const json::Value& record, const std::vector<std::string>& labels) {
  TrainingRecord read{.version = record.get("version", ""),
                      .seed = static_cast<std::uint64_t>(record.get("seed", std::int64_t{0})),
                      .run = count_of(record, "run"),
                      .runs = count_of(record, "runs", 1),
                      .split_mark = record.get("split_mark", ""),
                      .model = json::section(record, "model"),
                      .options = json::section(record, "options"),
                      .from = record.get("from", ""),
                      .epochs = count_of(record, "epochs"),
                      .best_epoch = count_of(record, "best_epoch"),
                      .validation = metrics_of(record, "validation"),
                      .test = metrics_of(record, "test")};
  read.options.as_object();
  if (const json::Value* positive = record.find("positive_class")) {
    if (std::ranges::count(labels, positive->as_string()) == 0)
      json::refuse(record, "positive_class", "expected one of the labels");
    read.positive_class = positive->as_string();
  }
  return read;
}

}  // namespace edgewise::train
