#include "edgewise/train/run/run_record.hpp"

#include "edgewise/core/version.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/targets/evaluate.hpp"

namespace edgewise::train {

void evaluate_parts(const data::Labels& labels, const data::Split& split, const Matrix& predictions, Report& report) {
  const auto part = [&](data::Role role) {
    return evaluate(labels, predictions, data::nodes_with_role(split, role), report.scaler.deviation());
  };
  report.train = part(data::Role::train);
  report.validation = part(data::Role::validation);
  report.test = part(data::Role::test);
}

void record_metrics(const Report& report, json::Value& record) {
  record.set("validation", to_json(report.validation));
  record.set("test", to_json(report.test));
}

json::Value training_record(const Config& config, const TrainOptions& effective, const Dataset& data,
                            std::int64_t index, const Run& run) {
  TrainOptions options = config.training;
  options.reorder = run.order;
  options.label_input = effective.label_input;
  options.consistency = effective.consistency;
  json::Value record;
  record.set("version", kVersion);
  record.set("seed", config.training.seed + static_cast<std::uint64_t>(index));
  record.set("run", index);
  record.set("runs", config.runs);
  record.set("split_mark", fingerprint_of(data, run.split));
  if (has_positive_class(data.labels))
    record.set("positive_class", data.labels.names[static_cast<std::size_t>(positive_class(data.labels))]);
  record.set("model", config.model.json());
  record.set("options", to_json(options));
  if (!config.from.empty()) record.set("from", config.from);
  record.set("epochs", run.report.epochs);
  record.set("best_epoch", run.report.best_epoch);
  record_metrics(run.report, record);
  return record;
}

}  // namespace edgewise::train
