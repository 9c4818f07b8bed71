#include "edgewise/train/choose/tune_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/train/choose/choose.hpp"
#include "edgewise/train/choose/comparison.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/config/budget.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/runs.hpp"
#include "edgewise/train/run/recipe.hpp"
#include "edgewise/train/targets/read_metric.hpp"

namespace edgewise::train {
namespace {

json::Value step_to_json(const TuningStep& step) {
  return json::Object{{"trial", step.trial.number},
                      {"epochs", step.epochs},
                      {"validation", step.validation},
                      {"seconds", step.seconds},
                      {"settings", step.trial.settings}};
}

/// A step that `check_logged_step` has taken.
TuningStep step_from_json(const json::Value& value) {
  return {.trial = {value.at("trial").as_integer(), value.at("settings")},
          .epochs = value.at("epochs").as_integer(),
          .validation = value.at("validation").as_number_or_nan(),
          .seconds = value.at("seconds").as_number()};
}

TuningOptions tuning_options(const TuningPlan& plan, const Dataset& data) {
  const Config config = plan.config_of(json::Object{});
  return {.models = plan.models,
          .epochs = config.training.epochs,
          .metric = checked_metric(config.training.metric, data.labels),
          .seed = config.training.seed,
          .is_graph_level = data.graphs.has_value(),
          .brackets = plan.brackets,
          .starts_with_choice = config.model.is_choice() && !plan.are_models_named};
}

/// Throws UsageError unless a trial of the search can have left it.
void check_logged_step(const json::Value& value, const TuningOptions& options) {
  const std::int64_t number = json::Required<json::Integer<0>>::read(value, "trial", std::int64_t{0});
  json::Required<json::Number<0.0, std::numeric_limits<double>::max()>>::read(value, "seconds", 0.0);
  read_metric(value.at("validation"), options.metric);
  const std::int64_t epochs = value.at("epochs").as_integer();
  if (epochs < 1 || epochs > options.epochs)
    json::refuse(value, "epochs", fmt::format("expected 1 to {}, as in the search", options.epochs));
  if (!(value.at("settings") == make_trial(options, number).settings))
    json::refuse(value, "settings", fmt::format("expected those of trial {} of the search", number));
}

/// Trains trials until the time is up.
class TrialTrainer {
 public:
  TrialTrainer(const TuningPlan& plan, const Dataset& data, const TuningHooks& hooks, Search& search)
      : plan_(plan), data_(data), hooks_(hooks), search_(search), start_(hooks.training.now()) {}

  std::optional<TuningStep> try_trial(const Trial& trial, std::int64_t epochs) {
    std::optional<TuningStep> known = hooks_.find ? hooks_.find(trial, epochs) : std::nullopt;
    if (known) return known;
    if (is_over()) return std::nullopt;
    TuningStep step{.trial = trial, .epochs = epochs};
    const auto start = hooks_.training.now();
    try {
      const std::optional<double> validation = train(trial, epochs);
      if (!validation) return std::nullopt;
      step.validation = *validation;
    } catch (const UsageError& error) {
      leave_out(error);
    } catch (const NumericalError& error) {
      leave_out(error);
    } catch (const Interrupted&) {
      is_interrupted_ = true;
      return std::nullopt;
    }
    step.seconds = seconds_since(start);
    if (hooks_.keep && !is_cut_short_) hooks_.keep(step);
    return step;
  }

  bool is_stopped() const { return is_interrupted_ || hooks_.training.asks_to_stop(); }
  /// The reason why the last failed trial failed; "" if none did.
  const std::string& problem() const { return problem_; }

 private:
  void leave_out(const Error& error) {
    problem_ = error.what();
    ++search_.problems[problem_];
  }

  double seconds_since(std::chrono::steady_clock::time_point start) const {
    return std::chrono::duration<double>(hooks_.training.now() - start).count();
  }

  bool is_over() const { return is_stopped() || seconds_since(start_) >= plan_.seconds; }

  /// The mean over the runs; nothing if time ran out before the last one ended. What an automatic choice has found
  /// until the user stops it counts, but is no result to go on from.
  std::optional<double> train(const Trial& trial, std::int64_t epochs) {
    Config config = plan_.config_of(trial.settings);
    config.training.epochs = epochs;
    JobHooks hooks = hooks_.training;
    hooks.should_stop = [this] { return is_over(); };
    hooks.keeps_model = false;
    if (config.model.is_choice() && std::isfinite(plan_.seconds))
      hooks = ending_after(plan_.seconds / 2, start_, std::move(hooks));
    double sum = 0;
    for (std::int64_t run = 0; run < config.runs; ++run) {
      const Run result = run_job(config, data_, run, hooks);
      is_cut_short_ = result.report.was_stopped;
      if (is_cut_short_ && !(config.model.is_choice() && hooks_.training.asks_to_stop() && run == 0))
        return std::nullopt;
      sum += metric(result.report.validation, search_.metric);
      if (is_cut_short_) break;
    }
    return sum / static_cast<double>(is_cut_short_ ? 1 : config.runs);
  }

  const TuningPlan& plan_;
  const Dataset& data_;
  const TuningHooks& hooks_;
  Search& search_;
  std::string problem_;
  bool is_interrupted_ = false;
  bool is_cut_short_ = false;  // the last training
  std::chrono::steady_clock::time_point start_;
};

/// Throws the reason why a search that was not stopped has no best step.
[[noreturn]] void refuse_without_best(const TuningPlan& plan, const Dataset& data, const Search& search,
                                      const std::string& problem) {
  if (!problem.empty()) throw UsageError(fmt::format("no trial could be trained: {}", problem));
  if (!search.steps.empty())
    throw DataError(fmt::format("{}: {} is not defined on the validation items, so trials cannot be compared",
                                data.name, search.metric));
  throw UsageError(fmt::format("{}: no training finished within {} s", setting("budget"), plan.seconds));
}

}  // namespace

double time_limit(const std::optional<std::string>& budget, std::int64_t brackets) {
  const double seconds = seconds_of_budget(setting("budget"), budget.value_or("10m"));
  if (brackets == 0) return seconds;
  if (budget)
    throw UsageError(fmt::format("{}: replaces the time limit of {}; give only one of them", setting("brackets"),
                                 setting("budget")));
  return std::numeric_limits<double>::infinity();
}

std::vector<std::string> models_to_tune(const std::vector<std::string>& named, const Config& config,
                                        const Dataset& data) {
  if (config.model.is_blocks())
    throw UsageError("model: expected a preset to be tuned, not a list of blocks");
  const bool is_one = named.empty() && !config.model.is_choice();
  std::vector<std::string> wanted = is_one ? std::vector{config.model.name()} : named;
  const bool is_asked_for = !wanted.empty();
  if (!is_asked_for) wanted = models_to_compare(config, data);
  std::vector<std::string> models;
  for (const std::string& name : wanted) {
    const ModelConfig model = ModelConfig::named(name);
    check_model_name(model);
    const bool is_fixed = model.is_baseline() || model.is_choice();
    if (is_fixed && is_asked_for) throw UsageError(fmt::format("{}: {} has nothing to tune", setting("models"), name));
    if (!is_fixed) models.push_back(name);
  }
  return models;
}

Search tune_models(const TuningPlan& plan, const Dataset& data, const TuningHooks& hooks) {
  Search search;
  const TuningOptions options = tuning_options(plan, data);
  search.metric = options.metric;
  TrialTrainer trainer(plan, data, hooks, search);
  search.steps =
      tune(options, [&](const Trial& trial, std::int64_t epochs) { return trainer.try_trial(trial, epochs); });
  search.was_stopped = trainer.is_stopped();
  const TuningStep* best = best_step(search.steps, search.metric);
  if (best == nullptr && !search.was_stopped) refuse_without_best(plan, data, search, trainer.problem());
  if (best == nullptr) return search;
  search.best = *best;
  search.found = plan.config_of(best->trial.settings);
  return search;
}

ResultLog open_search_log(std::string path, const Config& config, const TuningPlan& plan, const Dataset& data,
                          const std::vector<NamedFile>& files) {
  const TuningOptions options = tuning_options(plan, data);
  const auto check = [options](const json::Value& value) { check_logged_step(value, options); };
  return {std::move(path),
          {.schema = "edgewise.tune/1", .about = "search", .list = "steps", .key = {"trial", "epochs"}, .check = check},
          {json::Object{{"configuration", to_json(config)}, {"models", plan.models}}, files}};
}

void use_log(ResultLog& log, TuningHooks& hooks) {
  hooks.find = [&log](const Trial& trial, std::int64_t epochs) {
    const json::Value* value = log.find({{"trial", trial.number}, {"epochs", epochs}});
    return value == nullptr ? std::nullopt : std::optional(step_from_json(*value));
  };
  hooks.keep = [&log](const TuningStep& step) { log.add(step_to_json(step)); };
}

json::Value to_json(const Search& search) {
  std::int64_t trials = 0;
  json::Array steps;
  for (const TuningStep& step : search.steps) {
    trials = std::max(trials, step.trial.number + 1);
    steps.push_back(step_to_json(step));
  }
  return json::Object{{"metric", search.metric},
                      {"trials", trials},
                      {"best", step_to_json(*search.best)},
                      {"configuration", to_json(search.found)},
                      {"steps", std::move(steps)},
                      {"interrupted", search.was_stopped}};
}

}  // namespace edgewise::train
