#include "edgewise/train/loop/train_options.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "edgewise/autograd/consistency.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/list.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/graph/link_candidates.hpp"
#include "edgewise/train/loop/sampling.hpp"

namespace edgewise::train {
namespace {

constexpr std::int64_t kMaxEpochs = std::numeric_limits<int>::max();  // so that products of two stay in range

using json::Flag;
using json::Integer;
using json::make_field;
using json::Number;
using json::OneOf;
using json::Text;

using optim::ScheduleOptions;

constexpr std::array kScheduleFields = {
    make_field<ScheduleOptions, &ScheduleOptions::kind, json::Choice<optim::schedule_kind_names>>(
        "kind", "constant, cosine or plateau", "--schedule"),
    make_field<ScheduleOptions, &ScheduleOptions::warmup, Integer<0>>("warmup", "Epochs of warm-up", "--warmup"),
    make_field<ScheduleOptions, &ScheduleOptions::steps, Integer<0>>("steps", "Cosine: epochs; 0: all"),
    make_field<ScheduleOptions, &ScheduleOptions::minimum, Number<0.0, 1.0>>("minimum", "Lowest multiple of the rate"),
    make_field<ScheduleOptions, &ScheduleOptions::factor, Number<0.0, 1.0>>("factor", "Plateau: factor of the rate"),
    make_field<ScheduleOptions, &ScheduleOptions::patience, Integer<1>>("patience",
                                                                        "Plateau: evaluations without progress"),
    make_field<ScheduleOptions, &ScheduleOptions::threshold, Number<0.0, 1.0>>("threshold",
                                                                               "Plateau: least relative improvement"),
};

std::span<const json::Field<ScheduleOptions>> schedule_fields() { return kScheduleFields; }

/// "none", "balanced", or numbers in the order of the classes.
struct ClassWeightsKind {
  static constexpr json::FieldType kType = json::FieldType::text;
  static ClassWeights read(const json::Value& object, std::string_view name, const ClassWeights&) {
    const json::Value* value = object.find(name);
    if (value == nullptr || value->is_null()) return {};
    if (value->is_string()) {
      const int kind = json::read_choice(object, name, {"none", "balanced"}, 0);
      return {.kind = static_cast<ClassWeights::Kind>(kind), .given = {}};
    }
    ClassWeights weights{.kind = ClassWeights::Kind::given, .given = value->as_numbers()};
    for (std::size_t i = 0; i < weights.given.size(); ++i) {
      if (weights.given[i] >= 0) continue;
      throw UsageError(
          fmt::format("{}: expected a number of at least 0, got {}", value->as_array()[i].path(), weights.given[i]));
    }
    return weights;
  }
  static json::Value write(const ClassWeights& weights) {
    if (weights.kind == ClassWeights::Kind::given) return weights.given;
    return weights.kind == ClassWeights::Kind::balanced ? "balanced" : "none";
  }
};

/// Omitted if false.
struct FlagIfSet : Flag {
  static json::Value write(bool value) { return value ? json::Value(true) : json::Value(); }
};

std::optional<double> number_of(const json::Value& value);

/// An object of numbers, or the text "NAME=NUMBER,..." of a flag. Omitted if empty.
struct TargetWeightsKind {
  using Weights = std::vector<std::pair<std::string, double>>;
  static constexpr json::FieldType kType = json::FieldType::text;
  static Weights read(const json::Value& object, std::string_view name, const Weights&) {
    const json::Value* value = object.find(name);
    Weights weights;
    if (value == nullptr || value->is_null()) return weights;
    for (const auto& [target, weight] : value->is_string() ? split(*value) : value->as_object()) {
      const std::optional<double> number = number_of(weight);
      if (!number || !(*number >= 0 && std::isfinite(*number)))
        throw UsageError(fmt::format("{}: expected numbers of at least 0 by target, such as a=2,b=0.5, got {}",
                                     value->path(), json::dump(*value)));
      weights.emplace_back(target, *number);
    }
    return weights;
  }
  static json::Value write(const Weights& weights) {
    json::Object object;
    for (const auto& [target, weight] : weights) object.emplace_back(target, weight);
    return object.empty() ? json::Value() : json::Value(std::move(object));
  }

 private:
  /// The names of targets may have equals signs, but their weights have none.
  static json::Object split(const json::Value& text) {
    json::Object object;
    for (const std::string& entry : split_list(text.as_string())) {
      const std::size_t sign = entry.rfind('=');
      if (sign == entry.npos || sign == 0)
        throw UsageError(fmt::format("{}: expected NAME=NUMBER, got \"{}\"", text.path(), entry));
      object.emplace_back(entry.substr(0, sign), entry.substr(sign + 1));
    }
    return object;
  }
};

std::optional<double> number_of(const json::Value& value) {
  if (value.is_number()) return value.as_number();
  double number = 0;
  const std::string text = value.is_string() ? value.as_string() : "";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// "auto", or a number, given as text by a flag.
struct LabelInputKind {
  static constexpr json::FieldType kType = json::FieldType::text;
  static double read(const json::Value& object, std::string_view name, double) {
    const json::Value* value = object.find(name);
    if (value == nullptr || value->is_null()) return -1;
    if (value->is_string() && value->as_string() == "auto") return -1;
    const std::optional<double> share = number_of(*value);
    if (share && *share >= 0 && *share <= 0.95) return *share;
    throw UsageError(fmt::format("{}: expected \"auto\" or a share of at least 0 and at most 0.95, got {}",
                                 value->path(), json::dump(*value)));
  }
  static json::Value write(double share) { return share < 0 ? json::Value("auto") : json::Value(share); }
};

/// "auto", or a number of passes, given as text by a flag.
struct PassesKind {
  static constexpr json::FieldType kType = json::FieldType::text;
  static std::int64_t read(const json::Value& object, std::string_view name, std::int64_t) {
    const json::Value* value = object.find(name);
    if (value == nullptr || value->is_null() || (value->is_string() && value->as_string() == "auto")) return -1;
    const std::optional<double> passes = number_of(*value);
    if (passes && *passes >= 0 && *passes <= autograd::kMaxPasses && *passes == std::floor(*passes))
      return static_cast<std::int64_t>(*passes);
    throw UsageError(fmt::format("{}: expected \"auto\" or an integer from 0 to {}, got {}", value->path(),
                                 autograd::kMaxPasses, json::dump(*value)));
  }
  static json::Value write(std::int64_t passes) { return passes < 0 ? json::Value("auto") : json::Value(passes); }
};

constexpr std::array kConsistencyFields = {
    make_field<Consistency, &Consistency::passes, PassesKind>(
        "passes", "Passes per step that must agree on all nodes of one graph: auto (2 for grand), 0, ... 8",
        "--consistency"),
    make_field<Consistency, &Consistency::weight, Number<0.0, 1e3>>("weight", "Weight of the distance between passes"),
    make_field<Consistency, &Consistency::temperature, Number<0.01, 1.0>>("temperature",
                                                                          "Below 1: the passes' mean is sharpened"),
};

std::span<const json::Field<Consistency>> consistency_fields() { return kConsistencyFields; }

constexpr const char* kOptimisers[] = {"adam", "adamw"};
constexpr const char* kLosses[] = {"squared", "huber", "gaussian"};
constexpr const char* kNodeOrders[] = {"none", "degree", "cuthill_mckee", "clustering", "auto"};

constexpr auto kRule = [](auto& options) -> auto& { return options.stopping.rule; };
constexpr auto kPatience = [](auto& options) -> auto& { return options.stopping.patience; };

template <auto kMember, class Kind>
constexpr auto field(std::string_view name, std::string_view doc, std::string_view flag = {}) {
  return make_field<TrainOptions, kMember, Kind>(name, doc, flag);
}

constexpr std::array kTrainFields = {
    field<&TrainOptions::epochs, Integer<1, kMaxEpochs>>("epochs", "Maximum number of epochs", "--epochs"),
    field<&TrainOptions::seed, Integer<0>>("seed", "Seed of the first run; run r has seed + r", "--seed"),
    field<&TrainOptions::optimiser, OneOf<kOptimisers>>("optimiser", "adam or adamw", "--optimiser"),
    field<&TrainOptions::learning_rate, Number<0.0, 1e3>>("learning_rate", "Learning rate", "--learning-rate"),
    field<&TrainOptions::weight_decay, Number<0.0, 1e3>>("weight_decay", "L2 (adam) or decoupled (adamw) weight decay",
                                                         "--weight-decay"),
    field<&TrainOptions::decay_all, Flag>("decay_all", "Decay biases and gains, too"),
    field<&TrainOptions::clip_norm, Number<0.0, 1e30>>("clip_norm", "Largest norm of the gradient; 0: no clipping",
                                                       "--clip"),
    field<&TrainOptions::average, Number<0.0, 0.999999>>(
        "average", "Keep a running average of the weights with this decay, below 1; 0: off", "--average"),
    field<&TrainOptions::schedule, json::Nested<schedule_fields>>("schedule", "The learning rate over time"),
    field<kRule, json::Choice<stopping_rule_names>>(
        "stopping", "validation_metric, validation_loss, gat (the paper's) or none", "--stopping"),
    field<kPatience, Integer<0, kMaxEpochs>>("patience", "Evaluations without progress before training stops; 0: never",
                                             "--patience"),
    field<&TrainOptions::evaluate_every, Integer<1, kMaxEpochs>>("evaluate_every", "Epochs between evaluations",
                                                     "--evaluate-every"),
    field<&TrainOptions::reorder, OneOf<kNodeOrders>>(
        "reorder", "Put neighbours close together in memory: none, degree, cuthill_mckee, clustering or auto",
        "--reorder"),
    field<&TrainOptions::batch_size, Integer<1>>(
        "batch_size", "Graphs per step, or labelled nodes if neighbours are sampled (1024)", "--batch-size"),
    field<&TrainOptions::sample, Text>(
        "sample",
        "Steps over samples of one graph: 15,10 (edges into a node for each layer, the last layer's last), "
        "clusters:64/4 (4 of 64 parts at a time) or walks:3000x2 (from 3000 nodes, 2 steps)",
        "--sample"),
    field<&TrainOptions::replace, FlagIfSet>("replace", "Sample neighbours with replacement", "--replace"),
    field<&TrainOptions::class_weights, ClassWeightsKind>("class_weights", "none or balanced", "--class-weights"),
    field<&TrainOptions::label_smoothing, Number<0.0, 0.9>>(
        "label_smoothing", "Classes: share of each label that is spread over all classes", "--label-smoothing"),
    field<&TrainOptions::loss, OneOf<kLosses>>("loss",
                                               "Regression: squared; huber, which gives large errors less weight; or "
                                               "gaussian, with a variance for each item",
                                               "--loss"),
    field<&TrainOptions::target_weights, TargetWeightsKind>(
        "target_weights", "How much each of several targets counts, as a=2,b=0.5; others count 1", "--target-weights"),
    field<&TrainOptions::label_input, LabelInputKind>("label_input",
                                                      "Share of the training labels of other nodes that a model of "
                                                      "nodes gets as input: auto (if it pays, when the model is "
                                                      "chosen), 0, ... 0.95",
                                                      "--label-input"),
    field<&TrainOptions::consistency, json::Nested<consistency_fields>>("consistency",
                                                                        "Agreement of passes with other dropout"),
    field<&TrainOptions::negatives, json::File>(
        "negatives",
        "Ties: the pairs without one to learn from: drawn uniform, by degree or two_steps away, or a CSV file of pairs",
        "--negatives"),
    field<&TrainOptions::metric, Text>("metric", "Metric for early stopping: accuracy, macro_f1, roc_auc, rmse, ...",
                                       "--metric"),
};

}  // namespace

std::span<const json::Field<TrainOptions>> train_fields() { return kTrainFields; }

TrainOptions parse_train_options(const json::Value& value, std::initializer_list<std::string_view> passed_over) {
  json::allow_fields(value, train_fields(), passed_over);
  TrainOptions options = json::read_fields(value, train_fields());
  if (!options.sample.empty()) {
    if (value.find("batch_size") == nullptr) options.batch_size = kSampledBatch;
    read_sampling(options.sample, options.replace, options.batch_size);  // rejects another text
  } else if (options.replace) {
    throw UsageError(fmt::format("training.replace: expected {} as well, such as 15,10", setting("training.sample")));
  }
  optim::ScheduleOptions schedule = options.schedule;
  if (schedule.steps == 0) schedule.steps = options.epochs;
  optim::Schedule check(schedule);  // rejects an invalid schedule before any data is read
  return options;
}

LossOptions loss_options(const TrainOptions& options) {
  return {.loss = options.loss,
          .class_weights = options.class_weights,
          .label_smoothing = options.label_smoothing,
          .target_weights = options.target_weights};
}

std::string negatives_file(const TrainOptions& options) {
  return graph::parse_candidate_way(options.negatives) ? "" : options.negatives;
}

void validate(const TrainOptions& options) { parse_train_options(to_json(options)); }

json::Value to_json(const TrainOptions& options) { return json::written(train_fields(), options); }

}  // namespace edgewise::train
