#include "edgewise/train/loop/train_options.hpp"

#include "edgewise/train/detail/config_values.hpp"

namespace edgewise::train {
namespace {

using detail::get_at_least;
using detail::get_choice;
using detail::get_within;
using detail::refuse;
using detail::section;

optim::ScheduleOptions parse_schedule(const json::Value& value, std::int64_t epochs) {
  value.allow_only({"kind", "warmup", "steps", "minimum", "factor", "patience", "threshold"});
  optim::ScheduleOptions schedule;
  schedule.kind = optim::parse_schedule_kind(get_choice(value, "kind", "constant", {"constant", "cosine", "plateau"}));
  schedule.warmup = get_at_least(value, "warmup", schedule.warmup, 0);
  schedule.steps = get_at_least(value, "steps", schedule.steps, 0);
  schedule.minimum = get_within(value, "minimum", schedule.minimum, 0, 1);
  schedule.factor = get_within(value, "factor", schedule.factor, 0, 1);
  schedule.patience = get_at_least(value, "patience", schedule.patience, 1);
  schedule.threshold = get_within(value, "threshold", schedule.threshold, 0, 1);
  optim::ScheduleOptions in_force = schedule;
  if (in_force.steps == 0) in_force.steps = epochs;
  optim::Schedule check(in_force);  // what the schedule refuses is refused before any data is read
  return schedule;
}

ClassWeights parse_class_weights(const json::Value& parent) {
  const json::Value* value = parent.find("class_weights");
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) {
    get_choice(parent, "class_weights", "none", {"none", "balanced"});
    const bool is_balanced = value->as_string() == "balanced";
    return {.kind = is_balanced ? ClassWeights::Kind::balanced : ClassWeights::Kind::none, .given = {}};
  }
  ClassWeights weights{.kind = ClassWeights::Kind::given, .given = value->as_numbers()};
  for (const double weight : weights.given)
    if (!(weight >= 0)) refuse(parent, "class_weights", "numbers that are not negative", fmt::format("{}", weight));
  return weights;
}

json::Value to_json(const optim::ScheduleOptions& schedule) {
  json::Value value;
  value.set("kind", optim::to_string(schedule.kind));
  value.set("warmup", schedule.warmup);
  value.set("steps", schedule.steps);
  value.set("minimum", schedule.minimum);
  value.set("factor", schedule.factor);
  value.set("patience", schedule.patience);
  value.set("threshold", schedule.threshold);
  return value;
}

}  // namespace

TrainOptions parse_train_options(const json::Value& value) {
  value.allow_only({"epochs", "seed", "runs", "optimiser", "learning_rate", "weight_decay", "decay_all", "clip_norm",
                    "average", "schedule", "stopping", "patience", "evaluate_every", "reorder", "batch_size", "ensemble",
                    "class_weights", "metric"});
  TrainOptions options;
  options.epochs = get_at_least(value, "epochs", options.epochs, 1);
  options.seed = static_cast<std::uint64_t>(get_at_least(value, "seed", 0, 0));
  options.optimiser = get_choice(value, "optimiser", options.optimiser, {"adam", "adamw"});
  options.learning_rate = get_within(value, "learning_rate", options.learning_rate, 0, 1e3);
  options.weight_decay = get_within(value, "weight_decay", options.weight_decay, 0, 1e3);
  options.decay_all = value.get("decay_all", options.decay_all);
  options.clip_norm = get_within(value, "clip_norm", options.clip_norm, 0, 1e30);
  options.average = get_within(value, "average", options.average, 0, 0.999999);
  options.schedule = parse_schedule(section(value, "schedule"), options.epochs);
  options.stopping.rule =
      parse_stopping_rule(get_choice(value, "stopping", to_string(options.stopping.rule),
                                     {"validation_metric", "validation_loss", "gat", "none"}));
  options.stopping.patience = get_at_least(value, "patience", options.stopping.patience, 0);
  options.evaluate_every = get_at_least(value, "evaluate_every", options.evaluate_every, 1);
  options.reorder = get_choice(value, "reorder", options.reorder,
                               {"none", "degree", "cuthill_mckee", "clustering", "auto"});
  options.batch_size = get_at_least(value, "batch_size", options.batch_size, 1);
  options.class_weights = parse_class_weights(value);
  options.metric = value.get("metric", "");
  return options;
}

json::Value to_json(const TrainOptions& options) {
  json::Value value;
  value.set("epochs", options.epochs);
  value.set("seed", options.seed);
  value.set("optimiser", options.optimiser);
  value.set("learning_rate", options.learning_rate);
  value.set("weight_decay", options.weight_decay);
  value.set("decay_all", options.decay_all);
  value.set("clip_norm", options.clip_norm);
  value.set("average", options.average);
  value.set("schedule", to_json(options.schedule));
  value.set("stopping", to_string(options.stopping.rule));
  value.set("patience", options.stopping.patience);
  value.set("evaluate_every", options.evaluate_every);
  value.set("reorder", options.reorder);
  value.set("batch_size", options.batch_size);
  if (options.class_weights.kind == ClassWeights::Kind::given)
    value.set("class_weights", options.class_weights.given);
  else
    value.set("class_weights", options.class_weights.kind == ClassWeights::Kind::balanced ? "balanced" : "none");
  if (!options.metric.empty()) value.set("metric", options.metric);
  return value;
}

}  // namespace edgewise::train
