#include "edgewise/train/choose/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/choose/choice_models.hpp"
#include "edgewise/train/choose/choice_plan.hpp"
#include "edgewise/train/choose/choice_state.hpp"
#include "edgewise/train/choose/comparison.hpp"
#include "edgewise/train/choose/kept_models.hpp"
#include "edgewise/train/choose/progress_trace.hpp"
#include "edgewise/train/choose/sample_choice.hpp"
#include "edgewise/train/config/variant.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/model/refinement.hpp"
#include "edgewise/train/run/average.hpp"
#include "edgewise/train/run/refine_run.hpp"
#include "edgewise/train/run/run_model.hpp"
#include "edgewise/train/run/work.hpp"
#include "edgewise/train/targets/evaluate.hpp"

namespace edgewise::train {
namespace {

/// Before long work, says what it is and about how long it takes.
void tell_plan(const ChoicePlan& plan, const Dataset& data, const JobHooks& hooks) {
  if (!hooks.note) return;
  const Work work = expected_work(plan, data);
  if (work.total() < kLongWork && plan.left_out.empty()) return;
  hooks.note(fmt::format("trying {}: {} on this machine", counted(plan.models.size(), "model"),
                         rough_time(estimated_seconds(work, data, hooks.now))));
  if (const std::string note = left_out_note(plan, data); !note.empty()) hooks.note(note);
}

/// Known labels as input and consistency exclude each other.
void set_label_input(double share, TrainOptions& training) {
  training.label_input = share;
  if (share > 0) training.consistency.passes = 0;
}

ModelConfig without_edges(const ModelConfig& model) {
  json::Value graph = model.has("graph") ? model.json().at("graph") : json::Object{};
  graph.set("edges", false);
  return model.with("graph", std::move(graph));
}

/// Tries the models one by one and keeps the best run.
class Trials {
 public:
  Trials(const Config& config, const Dataset& data, std::int64_t run, const JobHooks& hooks, Sample sample,
         ChoicePlan plan)
      : config_(config),
        data_(data),
        run_(run),
        hooks_(hooks),
        sample_(std::move(sample)),
        plan_(std::move(plan)),
        start_(hooks.now()) {
    state_.choice.metric = checked_metric(config.training.metric, data.labels);
    if (!hooks.resume.empty()) resume();
    before_ = mark_of(state_);
  }

  void try_all() {
    const bool are_last = plan_.baselines_last;
    for (const PlannedModel& planned : plan_.models) {
      if (!are_last || !planned.is_baseline) try_planned(planned);
      if (cannot_judge()) return;
    }
    add_labels();
    for (const PlannedModel& planned : plan_.models)
      if (are_last && planned.is_baseline) try_planned(planned);
    add_words();
    add_without_edges();
    add_without_features();
  }

  /// Whether the metric of a model that was tried is not defined: there is no ROC-AUC of one class.
  bool cannot_judge() const { return !state_.contenders.empty() && std::isnan(best_value(state_)); }

  Run finish() {
    std::optional<Observed> undisturbed;  // what there is should be kept
    if (was_stopped_) undisturbed.emplace(Observer{});
    if (was_stopped_ || hooks_.checkpoint_at_end) save();
    if (state_.contenders.empty())
      throw UsageError(fmt::format("model: no model fits the data: {}", fmt::join(state_.notes, "; ")));
    const Kept kept = to_keep(state_, data_, sample_);
    Run run = keep(kept.places);
    state_.choice.reason = reason(state_.contenders, state_.choice.metric, sample_, kept, graph_wording(data_));
    if (was_stopped_)
      state_.choice.reason =
          fmt::format("stopped while training {}; of the models tried before, {}", last_, state_.choice.reason);
    add_remarks(kept.average.value_or(state_.contenders[kept.places.front()].validation.front()));
    const bool is_told = hooks_.note && plan_.limit > 0;
    if (const std::string note = left_out_note(plan_, data_); !note.empty() && !is_told) state_.notes.push_back(note);
    run.report.seconds = 0;
    for (const Candidate& candidate : state_.choice.candidates) run.report.seconds += candidate.seconds;
    run.report.was_stopped = was_stopped_;
    run.report.checkpoint_problem = checkpoint_problem_;
    run.notes.insert(run.notes.end(), state_.notes.begin(), state_.notes.end());
    run.choice = std::move(state_.choice);
    return run;
  }

 private:
  void add(const ModelConfig& model, const Variant& variant) {
    try {
      add_run(model, variant);
    } catch (const Interrupted&) {
      if (state_.contenders.empty()) throw;  // nothing to keep
      was_stopped_ = true;
    } catch (const UsageError& error) {
      if (config_.model.has_own_options()) throw;
      state_.notes.push_back(fmt::format("{} is skipped: {}", variant.name(), error.what()));
    } catch (const NumericalError& error) {
      state_.notes.push_back(fmt::format("{} is skipped: {}", variant.name(), error.what()));
    }
  }

  /// Goes on where a checkpoint ends.
  void resume() {
    const std::uint64_t seed = config_.training.seed + static_cast<std::uint64_t>(run_);
    state_ = restore_choice(hooks_.resume, config_, data_, make_split(data_, config_.split, seed, run_));
    resumed_ = std::exchange(state_.steps, 0);
    work_resumed_ = state_.work;
    for (const std::string& name : state_.left_out)
      plan_.left_out.push_back({.variant = variant_named(name), .model = {}, .work = {}});
    if (hooks_.note)
      hooks_.note(
          fmt::format("{}: continues after {}", hooks_.resume, counted(state_.choice.candidates.size(), "model")));
    if (state_.leader.is_null()) return;
    leader_.emplace(state_.choice.metric, config_.training.epochs, sample_);
    leader_->restore(state_.leader);
  }

  /// Saves the state before the step under way.
  void save() {
    if (hooks_.checkpoint.empty()) return;
    CheckpointNote note = hooks_.checkpoint_note;
    save_choice(state_, before_, data_, note);
    try {
      save_checkpoint(hooks_.checkpoint, note);
      if (hooks_.on_checkpoint) hooks_.on_checkpoint();
    } catch (const Error& error) {
      checkpoint_problem_ = error.what();
    }
  }

  /// Whether there is a step to do that a checkpoint does not have.
  bool begin_step() {
    if (was_stopped_) return false;
    if (state_.steps < resumed_) {
      ++state_.steps;
      return false;
    }
    return true;
  }

  void end_step() {
    if (was_stopped_) return;
    ++state_.steps;
    before_ = mark_of(state_);
    if (hooks_.checkpoint_every > 0) save();
  }

  void leave_out(PlannedModel planned) {
    state_.left_out.push_back(planned.name());
    plan_.left_out.push_back(std::move(planned));
  }

  /// Tries a model, unless it would exceed the budget: after the first network, those that are not expected to end in
  /// time are left out.
  void try_planned(const PlannedModel& planned) {
    if (!begin_step()) return;
    if (!has_time_for(planned)) {
      leave_out(planned);
      return end_step();
    }
    under_way_ = planned.work.total();
    planned.is_baseline ? add_baseline(planned) : add(planned.model, planned.variant);
    end_work(planned.work.total());
    end_step();
  }

  bool has_time_for(const PlannedModel& planned) const {
    const bool has_network = best_of_kind(state_.contenders, state_.choice.metric, true).has_value();
    if (!hooks_.deadline || (!has_network && !planned.is_baseline)) return true;
    const double left = std::chrono::duration<double>(*hooks_.deadline - hooks_.now()).count();
    const double work = state_.work - work_resumed_;
    const double pace = work > 0 ? seconds() / work : 0;
    return left > 0 && planned.work.total() * pace <= left;
  }

  double seconds() const { return std::chrono::duration<double>(hooks_.now() - start_).count(); }

  void end_work(double work) {
    under_way_ = 0;
    state_.work += work;
    report_work(0);
  }

  /// share: how far the model under way is.
  void report_work(double share) const {
    const double total = std::max(plan_.total(), state_.work + under_way_);
    if (hooks_.on_work && total > 0) hooks_.on_work((state_.work + share * under_way_) / total);
  }

  /// Tries one of the models again, with neighbour labels as input.
  void add_labels() {
    if (!begin_step()) return;
    const auto best = to_try_with_labels(config_, data_, state_.contenders, state_.choice.metric);
    if (best) try_again(*best, &Variant::with_labels);
    end_step();
  }

  /// Tries one of the models again, with the names of neighbours as input.
  void add_words() {
    if (!begin_step()) return;
    const auto best = to_try_with_words(config_, data_, state_.contenders, state_.choice.metric);
    if (best) try_again(*best, &Variant::with_words);
    end_step();
  }

  /// Tries one of the models in another way, if the plan has room for it.
  void try_again(std::size_t place, bool Variant::*difference) {
    Variant variant = state_.contenders[place].variant;
    variant.is_smoothed = false;
    variant.*difference = true;
    const ModelConfig model = variant.without_edges ? without_edges(state_.models[place]) : state_.models[place];
    PlannedModel planned{.variant = variant, .model = model, .work = work_of(model, config_, data_)};
    const bool is_too_much = plan_.is_limited && plan_.limit > 0 && state_.work + planned.work.total() > plan_.limit;
    if (is_too_much || !has_time_for(planned)) return leave_out(std::move(planned));
    under_way_ = planned.work.total();
    add(model, variant);
    end_work(planned.work.total());
  }

  Run run_variant(const ModelConfig& model, const Variant& variant, const JobHooks& hooks) const {
    Config config = config_;
    config.model = model;
    if (variant.with_labels) set_label_input(kShownLabels, config.training);
    if (variant.without_features) config.inputs = Inputs::identity;
    if (variant.with_words) config.inputs = Inputs::words;
    config.ensemble = 1;
    if (config.correct_and_smooth == Smoothing::automatic) config.correct_and_smooth = Smoothing::never;
    return run_model(config, data_, run_, hooks);
  }

  void add_run(const ModelConfig& model, const Variant& variant) {
    const std::string name = variant.name();
    last_ = name;
    if (hooks_.on_model) hooks_.on_model(name);
    ProgressTrace trace(state_.choice.metric, config_.training.epochs, sample_);
    bool is_given_up = false;
    JobHooks hooks = hooks_;
    hooks.checkpoint.clear();  // the models that have ended are saved here
    hooks.resume.clear();
    hooks.note = nullptr;  // the plan has been told
    hooks.on_epoch = [&](const EpochRecord& record) {
      trace.observe(record);
      report_work(static_cast<double>(record.epoch) / static_cast<double>(std::max<std::int64_t>(record.ends_at, 1)));
      if (hooks_.on_epoch) hooks_.on_epoch(record);
    };
    hooks.should_stop = [&] {
      was_stopped_ = was_stopped_ || hooks_.asks_to_stop();
      is_given_up = !variant.without_edges && leader_ && trace.is_behind(*leader_);
      return was_stopped_ || is_given_up;
    };
    Run run = run_variant(model, variant, hooks);
    const double validation = metric(run.report.validation, state_.choice.metric);
    state_.choice.candidates.push_back({.model = name,
                                        .validation = validation,
                                        .epochs = run.report.epochs,
                                        .seconds = run.report.seconds,
                                        .was_dropped = is_given_up});
    if ((variant.with_labels || variant.without_features) && !pays(validation, best_value(state_))) return;
    const std::size_t first = state_.contenders.size();
    add_contender(variant, validation, model);
    if (!is_given_up && !variant.without_edges) try_refinement(run);
    hold(std::move(run));
    if (best_of(state_.contenders, state_.choice.metric) < first) return;
    state_.leader = trace.state();
    leader_ = std::move(trace);
  }

  /// Tries one of the models again, without edges.
  void add_without_edges() {
    if (!begin_step()) return;
    const auto best = to_try_without_edges(data_, state_.contenders, state_.choice.metric);
    if (best) try_again(*best, &Variant::without_edges);
    end_step();
  }

  /// Tries one of the models again, with the identities of the nodes.
  void add_without_features() {
    if (!begin_step()) return;
    try_without_features();
    end_step();
  }

  void try_without_features() {
    const auto of_labels = std::ranges::find_if(state_.choice.candidates, [](const Candidate& candidate) {
      return variant_named(candidate.model).only_spreads_labels();
    });
    if (of_labels == state_.choice.candidates.end()) return;
    const auto best =
        to_try_without_features(config_, data_, state_.contenders, of_labels->validation, state_.choice.metric);
    if (best) try_again(*best, &Variant::without_features);
  }

  /// Keeps the run of the last contender.
  void hold(Run run) {
    state_.runs.resize(state_.contenders.size());
    state_.runs.back() = std::move(run);
    if (!was_stopped_) drop_losers(state_, data_, sample_);  // a checkpoint needs those that were kept before
  }

  Run keep(const std::vector<std::size_t>& places) {
    std::vector<Run> runs;
    for (const std::size_t place : places) runs.push_back(std::move(*state_.runs[place]));
    Run run = average(std::move(runs), data_);
    state_.choice.chosen = state_.contenders[places.front()].name();
    if (places.size() == 1) return run;
    for (Candidate& candidate : state_.choice.candidates)
      candidate.is_averaged = std::ranges::any_of(
          places, [&](std::size_t place) { return state_.contenders[place].name() == candidate.model; });
    state_.choice.chosen = kAverage;
    state_.choice.candidates.push_back(
        {.model = kAverage, .validation = metric(run.report.validation, state_.choice.metric)});
    return run;
  }

  /// If enabled, tries Correct and Smooth on the last contender, to which the run belongs; keeps it if it pays by half
  /// a standard error.
  void try_refinement(Run& run) {
    if (config_.correct_and_smooth != Smoothing::automatic) return;
    const auto start = hooks_.now();
    const double plain = state_.contenders.back().validation.front();
    std::optional<RefinedPredictions> refined;
    try {
      refined = best_refinement(data_, run.split, run.predictions, state_.choice.metric);
    } catch (const Interrupted&) {  // the model is kept without it
      was_stopped_ = true;
    }
    if (!refined) return;
    const Metrics metrics =
        evaluate(data_.labels, refined->predictions, data::nodes_with_role(run.split, data::Role::validation));
    const double value = metric(metrics, state_.choice.metric);
    Variant smoothed = state_.contenders.back().variant;
    smoothed.is_smoothed = true;
    state_.choice.candidates.push_back({.model = smoothed.name(),
                                        .validation = value,
                                        .seconds = std::chrono::duration<double>(hooks_.now() - start).count()});
    if (!pays(value, plain)) return;
    take_refinement(data_.labels, std::move(*refined), run);
    add_contender(smoothed, value, state_.models.back());
  }

  bool pays(double value, double plain) const {
    return train::pays(state_.choice.metric, value, plain, sample_);
  }

  void add_contender(const Variant& variant, double validation, const ModelConfig& model) {
    state_.contenders.push_back({.variant = variant, .validation = {validation}});
    state_.models.push_back(model);
    state_.costs.push_back(under_way_);
  }

  /// Adds a baseline: as a contender if it can be kept, else with a remark if it is as good.
  void add_baseline(const PlannedModel& planned) {
    last_ = planned.name();
    if (hooks_.on_model) hooks_.on_model(last_);
    std::optional<Run> run = run_baseline(planned);
    if (!run) return;
    was_stopped_ = was_stopped_ || run->report.was_stopped;
    const double value = metric(run->report.validation, state_.choice.metric);
    state_.choice.candidates.push_back(
        {.model = planned.name(), .validation = value, .seconds = run->report.seconds, .is_baseline = !run->trained});
    if (!run->trained) return;
    add_contender(planned.variant, value, planned.model);
    if (!was_stopped_) try_refinement(*run);
    hold(std::move(*run));
  }

  /// kept: the metric of what is kept.
  void add_remarks(double kept) {
    for (const Candidate& candidate : state_.choice.candidates) {
      if (!candidate.is_baseline) continue;
      const double ahead = lead(state_.choice.metric, candidate.validation, kept);
      if (!(ahead >= -chance(state_.choice.metric, kept, sample_))) continue;
      state_.choice.reason += fmt::format(
          ". {}, which leaves no model to keep, is {}: to get its predictions, train with {} {} and "
          "{}",
          candidate.model, ahead > 0 ? "better" : "as good, within chance", setting("model.preset"), candidate.model,
          setting("predictions"));
    }
  }

  std::optional<Run> run_baseline(const PlannedModel& planned) {
    JobHooks hooks;
    hooks.should_stop = hooks_.should_stop;
    hooks.now = hooks_.now;
    hooks.deadline = hooks_.deadline;
    try {
      return run_variant(planned.model, planned.variant, hooks);
    } catch (const Interrupted&) {
      if (state_.contenders.empty()) throw;
      was_stopped_ = true;
      return std::nullopt;
    } catch (const Error& error) {
      state_.notes.push_back(fmt::format("{} is skipped: {}", planned.name(), error.what()));
      return std::nullopt;
    }
  }

  const Config& config_;
  const Dataset& data_;
  std::int64_t run_;
  const JobHooks& hooks_;
  Sample sample_;  // of the validation items
  ChoicePlan plan_;
  std::chrono::steady_clock::time_point start_;
  double under_way_ = 0;  // work of the model being tried
  ChoiceState state_;
  ChoiceCursor before_;      // the state before the step under way
  std::size_t resumed_ = 0;  // steps that a checkpoint has
  double work_resumed_ = 0;  // their work
  std::optional<ProgressTrace> leader_;
  std::string last_;  // trained last
  std::string checkpoint_problem_;
  bool was_stopped_ = false;
};

/// Where the validation items cannot choose a model.
Run run_default(Config config, const Dataset& data, std::int64_t run, const JobHooks& hooks, const std::string& why) {
  config.model = default_model(models_to_try(config, data));
  Run result = run_model(config, data, run, hooks);
  result.notes.push_back(fmt::format("{}: the default, {}, is used", why, config.model.name()));
  return result;
}

/// Trains several models like `kind`.
Run run_ensemble(Config config, const TrainedModel& kind, const Dataset& data, std::int64_t run,
                 const JobHooks& hooks) {
  config.model = model_of(kind);
  set_label_input(kind.label_input, config.training);
  if (kind.refinement) config.correct_and_smooth = Smoothing::always;
  if (kind.features.kind() == FeatureMap::Kind::identity && !config.model.is_baseline())
    config.inputs = Inputs::identity;
  if (kind.features.has_words()) config.inputs = Inputs::words;
  if (config.model.is_baseline()) config.ensemble = 1;
  return run_model(config, data, run, hooks);
}

}  // namespace

Run choose_model(const Config& given, const Dataset& data, std::int64_t run, const JobHooks& hooks) {
  check_model(given, data);
  Config config = given;
  std::vector<ModelConfig> networks = models_to_try(config, data);
  sample_if_too_large(data, hooks, config, networks);
  Sample sample = sample_of(config, data, run, data::Role::validation);
  if (sample.items == 0)
    return run_default(config, data, run, hooks, "there are no validation items to choose a model by");
  ChoicePlan plan = plan_choice(config, data, networks, baselines_to_try(config, data));
  tell_plan(plan, data, hooks);
  Trials trials(config, data, run, hooks, std::move(sample), std::move(plan));
  trials.try_all();
  if (trials.cannot_judge()) {
    JobHooks anew = hooks;
    anew.resume.clear();
    return run_default(config, data, run, anew,
                       fmt::format("{} is not defined on the validation items, so they cannot choose a model",
                                   checked_metric(config.training.metric, data.labels)));
  }
  Run chosen = trials.finish();
  if (config.ensemble == 1 || chosen.report.was_stopped) return chosen;
  std::vector<Run> ensembles;
  for (const TrainedModel* kind : components_of(std::as_const(*chosen.trained)))
    ensembles.push_back(run_ensemble(config, *kind, data, run, hooks));
  Run whole = average(std::move(ensembles), data);
  whole.report.seconds += chosen.report.seconds;
  whole.choice = std::move(chosen.choice);
  return whole;
}

}  // namespace edgewise::train
