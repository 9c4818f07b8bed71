#include "edgewise/train/jobs/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/jobs/average.hpp"
#include "edgewise/train/jobs/baselines.hpp"
#include "edgewise/train/jobs/comparison.hpp"
#include "edgewise/train/jobs/job.hpp"
#include "edgewise/train/jobs/progress_trace.hpp"
#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/loop/objective.hpp"

namespace edgewise::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kAverage = "average";

/// Puts full models, which are known to work well, before those given by preset name, and drops the latter if they are
/// the same preset.
json::Array put_first(const json::Value& models, const json::Array& named) {
  json::Array all = models.as_array();
  for (const json::Value& name : named) {
    const auto is_same = [&](const json::Value& model) { return name == json::Value(model_name(model)); };
    if (std::ranges::none_of(models.as_array(), is_same)) all.push_back(name);
  }
  return all;
}

/// The complete models to try. Models suggested by the data are dropped if they turn out not to fit; errors in the
/// configuration's own models are reported.
std::vector<json::Value> models_of(const Config& config, const JobData& data) {
  const json::Value& model = config.model;
  json::Array named;
  if (const json::Value* given = model.find("candidates"))
    named = given->as_array();
  else
    for (const std::string& name : models_to_compare(config, data))
      if (!is_baseline(json::Object{{"preset", name}})) named.emplace_back(name);
  if (const json::Value* also = model.find("also")) named = put_first(*also, named);
  std::vector<json::Value> models;
  for (const json::Value& candidate : named) {
    json::Value one = candidate.is_string() ? json::Value(json::Object{{"preset", candidate}}) : candidate;
    if (is_choice(one)) throw UsageError("model.candidates: expected other models than \"auto\"");
    if (is_baseline(one))
      throw UsageError(fmt::format("model.candidates: \"{}\" is tried in any case if it fits; name other models",
                                   model_name(one)));
    for (const auto& [member, value] : model.as_object())
      if (member != "preset" && member != "candidates" && member != "also") one.set(member, value);
    models.push_back(std::move(one));
  }
  return models;
}

bool has_shared_members(const json::Value& model) {
  const bool has_also = model.find("also") != nullptr;
  return model.as_object().size() > (has_also ? 2U : 1U);
}

/// Known labels as input and consistency exclude each other.
void set_label_input(double share, TrainOptions& training) {
  training.label_input = share;
  if (share > 0) training.consistency.passes = 0;
}

json::Value without_edges(json::Value model) {
  const json::Value* given = model.find("graph");
  json::Value graph = given == nullptr ? json::Object{} : *given;
  graph.set("edges", false);
  model.set("graph", std::move(graph));
  return model;
}

/// A way to train a model.
struct Variant {
  const char* suffix = "";
  std::optional<double> label_input = {};  ///< As configured if not given.
  bool is_reference = false;               ///< Trained to the end, even if it falls behind.
};

/// Tries the models one by one and keeps the best run.
class Trial {
 public:
  Trial(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks, Sample sample)
      : config_(config), data_(data), run_(run), hooks_(hooks), sample_(std::move(sample)) {
    choice_.metric = checked_metric(config.training.metric, data.labels);
  }

  void add(const json::Value& model, const Variant& variant = {}) {
    try {
      add_run(model, variant);
    } catch (const UsageError& error) {
      if (has_shared_members(config_.model)) throw;
      notes_.push_back(fmt::format("{} is skipped: {}", model_name(model), error.what()));
    } catch (const NumericalError& error) {
      notes_.push_back(fmt::format("{} is skipped: {}", model_name(model), error.what()));
    }
  }

  /// Tries one of the models again, with neighbour labels as input.
  void add_labels() {
    const auto best = to_try_with_labels(config_, data_, contenders_, choice_.metric);
    if (best) add(models_[*best], {.suffix = kWithLabels, .label_input = kShownLabels});
  }

  bool was_stopped() const { return was_stopped_; }

  Run finish() {
    add_baselines();
    if (!was_stopped_) add_without_edges();
    if (contenders_.empty())
      throw UsageError(fmt::format("model: no model fits the data: {}", fmt::join(notes_, "; ")));
    const Kept kept = to_keep();
    Run run = keep(kept.places);
    choice_.reason = reason(contenders_, choice_.metric, sample_, kept, surroundings_of(data_));
    if (was_stopped_)
      choice_.reason =
          fmt::format("stopped while training {}; of the models tried before, {}", last_, choice_.reason);
    add_remarks(kept.average.value_or(best_value()));
    run.report.seconds = 0;
    for (const Candidate& candidate : choice_.candidates) run.report.seconds += candidate.seconds;
    run.report.was_stopped = was_stopped_;
    run.notes.insert(run.notes.end(), notes_.begin(), notes_.end());
    run.choice = std::move(choice_);
    return run;
  }

 private:
  /// `label_input`: as configured if not given.
  Run run_model(const json::Value& model, std::optional<double> label_input, const FitHooks& hooks) const {
    Config config = config_;
    config.model = model;
    if (label_input) set_label_input(*label_input, config.training);
    config.ensemble = 1;
    if (config.correct_and_smooth == "auto") config.correct_and_smooth = "never";
    return run_part(config, data_, run_, hooks);
  }

  void add_run(const json::Value& model, const Variant& variant) {
    const std::string name = model_name(model) + variant.suffix;
    last_ = name;
    if (hooks_.on_model) hooks_.on_model(name);
    ProgressTrace trace(choice_.metric, config_.training.epochs, sample_);
    bool is_given_up = false;
    FitHooks hooks = hooks_;
    hooks.checkpoint.clear();  // of one model; it could not be resumed
    hooks.on_epoch = [&](const EpochRecord& record) {
      trace.observe(record);
      if (hooks_.on_epoch) hooks_.on_epoch(record);
    };
    hooks.should_stop = [&] {
      was_stopped_ = was_stopped_ || (hooks_.should_stop && hooks_.should_stop());
      is_given_up = !variant.is_reference && leader_ && trace.is_behind(*leader_);
      return was_stopped_ || is_given_up;
    };
    Run run = run_model(model, variant.label_input, hooks);
    const double validation = metric(run.report.validation, choice_.metric);
    choice_.candidates.push_back({.model = name,
                                  .validation = validation,
                                  .epochs = run.report.epochs,
                                  .seconds = run.report.seconds,
                                  .was_dropped = is_given_up});
    if (variant.label_input && !pays(validation, best_value())) return;
    const std::size_t first = contenders_.size();
    add_contender(name, validation, model);
    if (!is_given_up && !variant.is_reference) try_refinement(run);
    hold(std::move(run));
    if (best_of(contenders_, choice_.metric) >= first) leader_ = std::move(trace);
  }

  /// Tries one of the models again, without edges.
  void add_without_edges() {
    const auto best = to_try_without_edges(data_, contenders_, choice_.metric);
    if (!best) return;
    add(without_edges(models_[*best]), {.suffix = kWithoutEdges, .is_reference = true});
  }

  /// Keeps the run of the last contender.
  void hold(Run run) {
    runs_.resize(contenders_.size());
    runs_.back() = std::move(run);
    if (averages_all()) return;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (i != best_of_kind(true) && i != best_of_kind(false)) runs_[i].reset();
  }

  /// Predictions for whole graphs are averaged over all indistinguishable models, which helps on all such data sets
  /// tried. On the nodes of one graph it helps on some and hurts on others (docs/benchmarks.md, "Averages of models").
  bool averages_all() const { return data_.graphs.has_value(); }

  Kept to_keep() const { return averages_all() ? alike_to_keep() : best_to_keep(); }

  /// The best contender and those that validation cannot distinguish from it, unless their average is more than one
  /// standard error behind it.
  Kept alike_to_keep() const {
    const std::size_t best = best_of(contenders_, choice_.metric);
    std::vector<std::size_t> places = alike(contenders_, choice_.metric, sample_);
    const double alone = contenders_[best].validation.front();
    const double behind = lead(choice_.metric, alone, validation_of_average(places));
    if (behind > chance(choice_.metric, alone, sample_) / 2) return {{best}};
    return {std::move(places)};
  }

  /// The best contender, or the average of the best network and the best of other kinds if that is better: trees and
  /// networks make different errors.
  Kept best_to_keep() const {
    const std::optional<std::size_t> network = best_of_kind(true), other = best_of_kind(false);
    if (network && other) {
      const double value = validation_of_average({*network, *other});
      if (lead(choice_.metric, value, best_value()) > 0) return {{*network, *other}, value};
    }
    return {{best_of(contenders_, choice_.metric)}};
  }

  std::optional<std::size_t> best_of_kind(bool is_network) const {
    return train::best_of_kind(contenders_, choice_.metric, is_network);
  }

  double validation_of_average(const std::vector<std::size_t>& places) const {
    Ensemble ensemble;
    for (const std::size_t place : places) ensemble.add(runs_[place]->predictions);
    const Run& first = *runs_[places.front()];
    return metric(evaluate(data_.labels, ensemble.mean(),
                           data::nodes_with_role(first.split, data::Role::validation), first.report.scaler.deviation()),
                  choice_.metric);
  }

  Run keep(const std::vector<std::size_t>& places) {
    std::vector<Run> runs;
    for (const std::size_t place : places) runs.push_back(std::move(*runs_[place]));
    Run run = average(std::move(runs), data_);
    choice_.chosen = contenders_[places.front()].model;
    if (places.size() == 1) return run;
    for (Candidate& candidate : choice_.candidates)
      candidate.is_averaged = std::ranges::any_of(
          places, [&](std::size_t place) { return contenders_[place].model == candidate.model; });
    choice_.chosen = kAverage;
    choice_.candidates.push_back({.model = kAverage, .validation = metric(run.report.validation, choice_.metric)});
    return run;
  }

  /// If enabled, tries Correct and Smooth on the last contender, to which the run belongs; keeps it if it pays by half
  /// a standard error.
  void try_refinement(Run& run) {
    if (config_.correct_and_smooth != "auto") return;
    const Clock::time_point start = Clock::now();
    const double plain = contenders_.back().validation.front();
    std::optional<RefinedPredictions> refined = best_refinement(data_, run.split, run.predictions, choice_.metric);
    if (!refined) return;
    const Metrics metrics =
        evaluate(data_.labels, refined->predictions, data::nodes_with_role(run.split, data::Role::validation));
    const double value = metric(metrics, choice_.metric);
    choice_.candidates.back().seconds += std::chrono::duration<double>(Clock::now() - start).count();
    if (!pays(value, plain)) return;
    take_refinement(data_.labels, std::move(*refined), run);
    const std::string name = contenders_.back().model + kSmoothed;
    choice_.candidates.push_back({.model = name, .validation = value});
    add_contender(name, value, models_.back());
  }

  /// Whether an addition to a model improves it by more than half a standard error.
  bool pays(double value, double plain) const {
    return lead(choice_.metric, value, plain) > chance(choice_.metric, plain, sample_) / 4;
  }

  void add_contender(const std::string& name, double validation, const json::Value& model) {
    contenders_.push_back({.model = name, .validation = {validation}});
    models_.push_back(model);
  }

  /// Adds the baselines: as contenders if they can be kept, else with a remark if they are as good.
  void add_baselines() {
    for (const std::string& name : models_to_compare(config_, data_)) {
      const json::Value model = json::Object{{"preset", name}};
      if (!is_baseline(model) || was_stopped_) continue;
      last_ = name;
      std::optional<Run> run = run_baseline(name, model);
      if (!run) continue;
      was_stopped_ = was_stopped_ || run->report.was_stopped;
      const double value = metric(run->report.validation, choice_.metric);
      choice_.candidates.push_back(
          {.model = name, .validation = value, .seconds = run->report.seconds, .is_baseline = !run->trained});
      if (!run->trained) continue;
      add_contender(name, value, model);
      if (!was_stopped_) try_refinement(*run);
      hold(std::move(*run));
    }
  }

  /// kept: the metric of what is kept.
  void add_remarks(double kept) {
    for (const Candidate& candidate : choice_.candidates) {
      if (!candidate.is_baseline) continue;
      const double ahead = lead(choice_.metric, candidate.validation, kept);
      if (!(ahead >= -chance(choice_.metric, kept, sample_))) continue;
      choice_.reason += fmt::format(
          ". {}, which leaves no model to keep, is {}: to get its predictions, train with --model {} and "
          "--predictions",
          candidate.model, ahead > 0 ? "better" : "as good, within chance", candidate.model);
    }
  }

  std::optional<Run> run_baseline(const std::string& name, const json::Value& model) {
    FitHooks hooks;
    hooks.should_stop = hooks_.should_stop;
    try {
      return run_model(model, {}, hooks);
    } catch (const Error& error) {
      notes_.push_back(fmt::format("{} is skipped: {}", name, error.what()));
      return std::nullopt;
    }
  }

  double best_value() const { return contenders_[best_of(contenders_, choice_.metric)].validation.front(); }

  const Config& config_;
  const JobData& data_;
  std::int64_t run_;
  const FitHooks& hooks_;
  Sample sample_;  // of the validation items
  Choice choice_;
  std::vector<Contender> contenders_;
  std::vector<json::Value> models_;  // of the contenders
  std::vector<std::string> notes_;
  std::vector<std::optional<Run>> runs_;  // of the contenders; empty for those that can no longer be kept
  std::optional<ProgressTrace> leader_;
  std::string last_;  // trained last
  bool was_stopped_ = false;
};

/// The model to use when nothing can be selected.
json::Value default_of(const std::vector<json::Value>& models) {
  for (const char* name : {"gat", "gatv2", "attention"}) {
    const auto found = std::ranges::find(models, std::string(name), model_name);
    if (found != models.end()) return *found;
  }
  return models.front();
}

/// Without validation items nothing can be selected.
Run run_default(Config config, const JobData& data, std::int64_t run, const FitHooks& hooks) {
  config.model = default_of(models_of(config, data));
  Run result = run_part(config, data, run, hooks);
  result.notes.push_back(fmt::format("there are no validation items to choose a model by: the default, {}, is used",
                                     model_name(config.model)));
  return result;
}

/// Trains several models like `kind`.
Run run_ensemble(Config config, const TrainedModel& kind, const JobData& data, std::int64_t run,
                 const FitHooks& hooks) {
  config.model = kind.training.at("model");
  set_label_input(kind.label_input, config.training);
  if (kind.refinement) config.correct_and_smooth = "always";
  if (is_baseline(config.model)) config.ensemble = 1;
  return run_part(config, data, run, hooks);
}

}  // namespace

bool is_choice(const json::Value& model) { return model_name(model) == "auto"; }

Run choose_model(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks) {
  if (!hooks.resume.empty()) throw UsageError("model: a checkpoint is of one model; name it to resume");
  Sample sample = sample_of(config, data, run, data::Role::validation);
  if (sample.items == 0) return run_default(config, data, run, hooks);
  Trial trial(config, data, run, hooks, std::move(sample));
  for (const json::Value& model : models_of(config, data)) {
    trial.add(model);
    if (trial.was_stopped()) break;
  }
  if (!trial.was_stopped()) trial.add_labels();
  Run chosen = trial.finish();
  if (config.ensemble == 1 || chosen.report.was_stopped) return chosen;
  std::vector<Run> ensembles;
  for (const TrainedModel* kind : kinds_of(std::as_const(*chosen.trained)))
    ensembles.push_back(run_ensemble(config, *kind, data, run, hooks));
  Run whole = average(std::move(ensembles), data);
  whole.report.seconds += chosen.report.seconds;
  whole.choice = std::move(chosen.choice);
  return whole;
}

}  // namespace edgewise::train
