#include "edgewise/train/jobs/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "edgewise/core/error.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/jobs/baselines.hpp"
#include "edgewise/train/jobs/comparison.hpp"
#include "edgewise/train/jobs/job.hpp"
#include "edgewise/train/loop/objective.hpp"

namespace edgewise::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kStandardErrors = 3;       // behind which a model is given up
constexpr std::int64_t kMostEpochs = 1000;  // of which the rungs are shares

/// The best validation metric that a model has had when it comes to each rung: an eighth, a quarter, a half of the
/// epochs.
class Trace {
 public:
  Trace(std::string metric, std::int64_t epochs, std::size_t items)
      : metric_(std::move(metric)), epochs_(std::min(epochs, kMostEpochs)), items_(items) {}

  void observe(const EpochRecord& record) {
    if (!record.validation_metric) return;
    const double value = *record.validation_metric;
    if (std::isnan(best_) || is_better(value, best_)) best_ = value;
    const std::int64_t rungs = static_cast<std::int64_t>(rungs_.size());
    if (rungs < 3 && record.epoch * 8 >= epochs_ << rungs) rungs_.push_back(best_);
  }

  /// Whether `leader` was clearly ahead at the last rung of this one.
  bool is_behind(const Trace& leader) const {
    if (rungs_.empty() || std::isnan(best_)) return false;
    const double there = rungs_.size() <= leader.rungs_.size() ? leader.rungs_[rungs_.size() - 1] : leader.best_;
    const double margin = kStandardErrors / 2 * chance(metric_, there, items_);
    return is_better(there, best_) && std::abs(there - best_) > margin;
  }

 private:
  bool is_better(double value, double than) const { return is_larger_better(metric_) ? value > than : value < than; }

  std::string metric_;
  std::int64_t epochs_;
  std::size_t items_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> rungs_;
};

/// Whole models in the place of those called by their presets' names, or behind them all.
void add_or_replace(const json::Value& models, json::Array& named) {
  for (const json::Value& model : models.as_array()) {
    const auto same = std::find(named.begin(), named.end(), json::Value(model_name(model)));
    if (same == named.end())
      named.push_back(model);
    else
      *same = model;
  }
}

/// The models to be tried, complete. Those that the data suggests are left out when they turn out not to fit; what the
/// configuration says of them is an error where it is wrong.
std::vector<json::Value> models_of(const json::Value& model, const JobData& data) {
  json::Array named;
  if (const json::Value* given = model.find("candidates"))
    named = given->as_array();
  else
    for (const std::string& name : models_to_compare(data))
      if (!is_baseline(json::Object{{"preset", name}})) named.emplace_back(name);
  if (const json::Value* also = model.find("also")) add_or_replace(*also, named);
  std::vector<json::Value> models;
  for (const json::Value& candidate : named) {
    json::Value one = candidate.is_string() ? json::Value(json::Object{{"preset", candidate}}) : candidate;
    if (is_choice(one)) throw UsageError("model.candidates: expected other models than \"auto\"");
    for (const auto& [member, value] : model.as_object())
      if (member != "preset" && member != "candidates" && member != "also") one.set(member, value);
    models.push_back(std::move(one));
  }
  return models;
}

bool says_more(const json::Value& model) {
  const bool has_also = model.find("also") != nullptr;
  return model.as_object().size() > (has_also ? 2U : 1U);
}

/// Tries one model after the other and holds on to the best run.
class Trial {
 public:
  Trial(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks, std::size_t items)
      : config_(config), data_(data), run_(run), hooks_(hooks), items_(items) {
    choice_.metric = config.training.metric.empty() ? default_metric(data.labels) : config.training.metric;
  }

  void add(const json::Value& model) {
    try {
      add_run(model);
    } catch (const UsageError& error) {
      if (says_more(config_.model)) throw;
      notes_.push_back(fmt::format("{} is left out: {}", model_name(model), error.what()));
    } catch (const NumericalError& error) {
      notes_.push_back(fmt::format("{} is left out: {}", model_name(model), error.what()));
    }
  }

  bool was_stopped() const { return was_stopped_; }

  Run finish() {
    if (!best_) throw UsageError(fmt::format("model: no model fits the data: {}", fmt::join(notes_, "; ")));
    Run run = std::move(*best_);
    choice_.chosen = contenders_[best_of(contenders_, choice_.metric)].model;
    choice_.reason = reason(contenders_, choice_.metric, items_);
    add_baselines();
    run.report.seconds = 0;
    for (const Candidate& candidate : choice_.candidates) run.report.seconds += candidate.seconds;
    run.report.was_stopped = was_stopped_;
    run.notes.insert(run.notes.end(), notes_.begin(), notes_.end());
    run.choice = std::move(choice_);
    return run;
  }

 private:
  Run run_model(const json::Value& model, const FitHooks& hooks) const {
    Config config = config_;
    config.model = model;
    config.ensemble = 1;
    if (config.correct_and_smooth == "auto") config.correct_and_smooth = "never";
    return run_job(config, data_, run_, hooks);
  }

  void add_run(const json::Value& model) {
    const std::string name = model_name(model);
    if (hooks_.on_model) hooks_.on_model(name);
    Trace trace(choice_.metric, config_.training.epochs, items_);
    bool is_given_up = false;
    FitHooks hooks = hooks_;
    hooks.checkpoint.clear();  // of one model; it could not be gone on from
    hooks.on_epoch = [&](const EpochRecord& record) {
      trace.observe(record);
      if (hooks_.on_epoch) hooks_.on_epoch(record);
    };
    hooks.should_stop = [&] {
      was_stopped_ = was_stopped_ || (hooks_.should_stop && hooks_.should_stop());
      is_given_up = leader_ && trace.is_behind(*leader_);
      return was_stopped_ || is_given_up;
    };
    Run run = run_model(model, hooks);
    const double validation = metric(run.report.validation, choice_.metric);
    choice_.candidates.push_back({.model = name,
                                  .validation = validation,
                                  .epochs = run.report.epochs,
                                  .seconds = run.report.seconds,
                                  .was_dropped = is_given_up});
    const std::size_t first = contenders_.size();
    contenders_.push_back({.model = name, .validation = {validation}});
    if (config_.correct_and_smooth == "auto" && !is_given_up) try_refinement(run);
    if (best_of(contenders_, choice_.metric) < first) return;
    best_ = std::move(run);
    leader_ = std::move(trace);
  }

  /// Tries Correct and Smooth behind the last contender, whose run this is; keeps it where it pays by half a standard
  /// error.
  void try_refinement(Run& run) {
    const Clock::time_point start = Clock::now();
    const double plain = contenders_.back().validation.front();
    std::optional<RefinedPredictions> refined = best_refinement(data_, run.split, run.predictions, choice_.metric);
    if (!refined) return;
    const Metrics metrics =
        evaluate(data_.labels, refined->predictions, data::nodes_with_role(run.split, data::Role::validation));
    const double value = metric(metrics, choice_.metric);
    choice_.candidates.back().seconds += std::chrono::duration<double>(Clock::now() - start).count();
    const double by = is_larger_better(choice_.metric) ? value - plain : plain - value;
    if (!(by > chance(choice_.metric, plain, items_) / 4)) return;
    take_refinement(data_.labels, std::move(*refined), run);
    const std::string name = contenders_.back().model + kSmoothed;
    choice_.candidates.push_back({.model = name, .validation = value});
    contenders_.push_back({.model = name, .validation = {value}});
  }

  /// What no model need be trained for, and what is to be said where it is as good.
  void add_baselines() {
    const double kept = best_value();
    for (const std::string& name : models_to_compare(data_)) {
      const json::Value model = json::Object{{"preset", name}};
      if (!is_baseline(model) || was_stopped_) continue;
      const std::optional<Run> run = run_baseline(name, model);
      if (!run) continue;
      const double value = metric(run->report.validation, choice_.metric);
      choice_.candidates.push_back(
          {.model = name, .validation = value, .seconds = run->report.seconds, .is_baseline = true});
      const double ahead = is_larger_better(choice_.metric) ? value - kept : kept - value;
      if (!(ahead >= -chance(choice_.metric, kept, items_))) continue;
      choice_.reason += fmt::format(
          ". {}, of which there is no model to keep, is {}: train with --model {} and "
          "--predictions for its answers",
          name, ahead > 0 ? "better" : "as good within chance", name);
    }
  }

  std::optional<Run> run_baseline(const std::string& name, const json::Value& model) {
    try {
      return run_model(model, {});
    } catch (const Error& error) {
      notes_.push_back(fmt::format("{} is left out: {}", name, error.what()));
      return std::nullopt;
    }
  }

  double best_value() const { return contenders_[best_of(contenders_, choice_.metric)].validation.front(); }

  const Config& config_;
  const JobData& data_;
  std::int64_t run_;
  const FitHooks& hooks_;
  std::size_t items_;
  Choice choice_;
  std::vector<Contender> contenders_;
  std::vector<std::string> notes_;
  std::optional<Run> best_;
  std::optional<Trace> leader_;
  bool was_stopped_ = false;
};

std::size_t validation_items(const Config& config, const JobData& data, std::int64_t run) {
  const std::uint64_t seed = config.training.seed + static_cast<std::uint64_t>(run);
  const data::Split split = make_split(data, config.split, seed, run);
  return labelled(data.labels, data::nodes_with_role(split, data::Role::validation)).size();
}

/// Without validation items nothing can be chosen.
Run run_default(Config config, const JobData& data, std::int64_t run, const FitHooks& hooks) {
  config.model = json::Object{{"preset", "gat"}};
  Run result = run_job(config, data, run, hooks);
  result.notes.emplace_back("no item validates, so no model could be chosen: it is the default one, gat");
  return result;
}

}  // namespace

bool is_choice(const json::Value& model) { return model_name(model) == "auto"; }

Run choose_model(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks) {
  if (!hooks.resume.empty()) throw UsageError("model: a checkpoint is of one model; name it to go on");
  const std::size_t items = validation_items(config, data, run);
  if (items == 0) return run_default(config, data, run, hooks);
  Trial trial(config, data, run, hooks, items);
  for (const json::Value& model : models_of(config.model, data)) {
    trial.add(model);
    if (trial.was_stopped()) break;
  }
  Run chosen = trial.finish();
  if (config.ensemble == 1 || chosen.report.was_stopped) return chosen;
  Config whole = config;
  whole.model = chosen.trained->training.at("model");
  if (chosen.trained->refinement) whole.correct_and_smooth = "always";
  Run ensemble = run_job(whole, data, run, hooks);
  ensemble.report.seconds += chosen.report.seconds;
  ensemble.choice = std::move(chosen.choice);
  return ensemble;
}

}  // namespace edgewise::train
