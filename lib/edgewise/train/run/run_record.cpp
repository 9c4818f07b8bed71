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

TrainingRecord training_record(const Config& config, const TrainOptions& effective, const Dataset& data,
                               std::int64_t index, const Run& run) {
  TrainOptions options = config.training;
  options.reorder = run.order;
  options.label_input = effective.label_input;
  options.consistency = effective.consistency;
  TrainingRecord record{.version = kVersion,
                        .seed = config.training.seed + static_cast<std::uint64_t>(index),
                        .run = index,
                        .runs = config.runs,
                        .split_mark = fingerprint_of(data, run.split),
                        .model = config.model,
                        .options = to_json(options),
                        .from = config.from,
                        .epochs = run.report.epochs,
                        .best_epoch = run.report.best_epoch,
                        .validation = run.report.validation,
                        .test = run.report.test};
  if (has_positive_class(data.labels))
    record.positive_class = data.labels.names[static_cast<std::size_t>(positive_class(data.labels))];
  return record;
}

void measure_again(const data::Labels& labels, Run& run) {
  evaluate_parts(labels, run.split, run.predictions, run.report);
  if (!run.trained) return;
  run.trained->training.validation = run.report.validation;
  run.trained->training.test = run.report.test;
}

}  // namespace edgewise::train
