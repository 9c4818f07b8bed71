#include "edgewise/train/choose/compare_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/choose/choice_state.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/choose/kept_models.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/config/variant.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/runs.hpp"
#include "edgewise/train/run/run_model.hpp"
#include "edgewise/train/run/run_record.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"
#include "edgewise/train/targets/metrics.hpp"
#include "edgewise/train/targets/read_metric.hpp"

namespace edgewise::train {
namespace {

/// A run, or nothing if it was stopped: an incomplete run is discarded.
std::optional<ComparedRun> make_run(const Config& config, const Dataset& data, std::int64_t run, JobHooks hooks) try {
  hooks.keeps_model = false;
  Run made = run_job(config, data, run, hooks);
  if (hooks.asks_to_stop()) return std::nullopt;
  const Report& report = made.report;
  ComparedRun result{report.metric, metric(report.validation, report.metric), metric(report.test, report.metric),
                     report.seconds};
  made.trained.reset();
  if (data.graphs) result.made = std::move(made);
  return result;
} catch (const Interrupted&) {
  return std::nullopt;
}

void add_run(const ComparedRun& run, Contender& contender) {
  contender.validation.push_back(run.validation);
  contender.test.push_back(run.test);
  contender.seconds += run.seconds;
}

/// All runs of a model, which are added to `runs`, or nothing if stopped.
std::optional<Contender> run_all(const Variant& variant, const Config& config, const Dataset& data,
                                 const ComparisonHooks& hooks, std::vector<ComparedRun>& runs) {
  const std::string model = variant.name();
  Contender contender{.variant = variant};
  for (std::int64_t run = 0; run < config.runs; ++run) {
    std::optional<ComparedRun> result = hooks.find ? hooks.find(model, config, run) : std::nullopt;
    if (!result) {
      result = make_run(config, data, run, hooks.training);
      if (!result) return std::nullopt;
      if (hooks.keep) hooks.keep(model, config, run, *result);
    }
    add_run(*result, contender);
    runs.push_back(std::move(*result));
  }
  return contender;
}

void add_model(const ComparisonPlan& plan, const Variant& variant, const Dataset& data, const ComparisonHooks& hooks,
               Comparison& comparison) {
  const std::string model = variant.name();
  const Config config = plan.config_of(model);
  try {
    std::vector<ComparedRun> runs;
    std::optional<Contender> contender = run_all(variant, config, data, hooks, runs);
    comparison.was_stopped = !contender;
    if (!contender) return;
    comparison.contenders.push_back(std::move(*contender));
    comparison.runs.push_back(std::move(runs));
  } catch (const UsageError& error) {
    if (hooks.note) hooks.note(fmt::format("{} is skipped: {}", model, error.what()));
    return;
  }
  if (hooks.on_contender) hooks.on_contender(comparison.contenders.back());
}

/// The run of the average that a choice among the models would keep: those that the validation items of this run cannot
/// tell from the best. Takes what was made in this run of them.
ComparedRun average_run(const Config& config, const Dataset& data, Comparison& comparison, std::int64_t run) {
  ChoiceState state;
  state.choice.metric = comparison.metric;
  for (std::size_t i = 0; i < comparison.contenders.size(); ++i) {
    ComparedRun& one = comparison.runs[i][static_cast<std::size_t>(run)];
    state.contenders.push_back({.variant = comparison.contenders[i].variant, .validation = {one.validation}});
    state.runs.push_back(std::move(one.made));
    state.costs.push_back(one.seconds);
  }
  ComparedRun result{.metric = comparison.metric};
  Ensemble ensemble;
  for (const std::size_t place : to_keep(state, data, sample_of(config, data, run, data::Role::validation)).places) {
    ensemble.add(state.runs[place]->predictions);
    result.seconds += state.costs[place];
  }
  Run& first = *state.runs.front();
  evaluate_parts(data.labels, first.split, ensemble.mean(), first.report);
  result.validation = metric(first.report.validation, comparison.metric);
  result.test = metric(first.report.test, comparison.metric);
  return result;
}

/// Adds the average of the models, unless a run was made earlier, of which the predictions are not known.
void add_average(const Config& config, const Dataset& data, const ComparisonHooks& hooks, Comparison& comparison) {
  const auto has_choice = [](const Contender& contender) { return contender.variant.model == "auto"; };
  const std::vector<Contender>& contenders = comparison.contenders;
  if (!data.graphs || contenders.size() < 2 || std::ranges::any_of(contenders, has_choice)) return;
  const auto is_known = [](const std::vector<ComparedRun>& runs) {
    return std::ranges::all_of(runs, [](const ComparedRun& one) { return one.made.has_value(); });
  };
  if (!std::ranges::all_of(comparison.runs, is_known)) {
    if (hooks.note) hooks.note(fmt::format("{}: is left out, as some runs were made earlier", kAverage));
    return;
  }
  Contender average{.variant = {.model = kAverage}};
  std::vector<ComparedRun> runs;
  for (std::int64_t run = 0; run < config.runs; ++run) {
    runs.push_back(average_run(config, data, comparison, run));
    add_run(runs.back(), average);
  }
  comparison.contenders.push_back(std::move(average));
  comparison.runs.push_back(std::move(runs));
  if (hooks.on_contender) hooks.on_contender(comparison.contenders.back());
}

/// Identifies a run of a comparison: the model, the share of the training items, and the number of the run.
json::Object key_of(const std::string& model, const Config& config, std::int64_t run) {
  return {{"model", model}, {"share", config.split.keep}, {"run", run}};
}

json::Value run_to_json(json::Object key, const ComparedRun& result) {
  json::Value value = std::move(key);
  value.set("metric", result.metric);
  value.set("validation", result.validation);
  value.set("test", result.test);
  value.set("seconds", result.seconds);
  return value;
}

/// A run that `check_logged_run` has taken.
ComparedRun run_from_json(const json::Value& value) {
  return {value.at("metric").as_string(), value.at("validation").as_number_or_nan(),
          value.at("test").as_number_or_nan(), value.at("seconds").as_number()};
}

/// Throws UsageError unless a run of a comparison by `metric` can have left it.
void check_logged_run(const json::Value& value, const std::string& metric) {
  value.at("model").as_string();
  if (const double share = value.at("share").as_number(); !(share > 0 && share <= 1))
    json::refuse(value, "share", "expected a number above 0, and at most 1");
  json::Required<json::Integer<0>>::read(value, "run", std::int64_t{0});
  json::Required<json::Number<0.0, std::numeric_limits<double>::max()>>::read(value, "seconds", 0.0);
  if (value.at("metric").as_string() != metric) json::refuse(value, "metric", fmt::format("expected \"{}\"", metric));
  for (const char* part : {"validation", "test"}) read_metric(value.at(part), metric);
}

/// Indices of the contenders, best validation metric first.
std::vector<std::size_t> best_first(const Comparison& comparison) {
  std::vector<std::size_t> order(comparison.contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto mean = [&](std::size_t i) { return summarise(comparison.contenders[i].validation).mean; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return is_better(comparison.metric, mean(a), mean(b));
  });
  return order;
}

/// A contender beside the best one.
json::Value contender_to_json(const Contender& contender, const Contender& best, const Comparison& comparison) {
  const Difference behind = difference(contender, best, comparison.metric, comparison.sample);
  return json::Object{
      {"model", contender.name()},
      {"validation", to_json(summarise(contender.validation))},
      {"test", to_json(summarise(contender.test))},
      {"beside_best", json::Object{{"mean", behind.mean}, {"std", behind.std}, {"is_clear", behind.is_clear()}}},
      {"seconds", contender.seconds}};
}

/// There is no verdict unless all models were run.
std::vector<std::string> verdict_of(const Dataset& data, const Comparison& comparison, std::size_t planned) {
  if (comparison.was_stopped)
    return {fmt::format("interrupted: {} of {} finished", comparison.contenders.size(), counted(planned, "model"))};
  return verdict(comparison.contenders, comparison.metric, comparison.sample, graph_wording(data));
}

}  // namespace

json::Value contender_config(json::Value given, const std::string& name) {
  const Variant variant = variant_named(name);
  if (variant.without_edges) json::set_at(given, "model.graph.edges", false);
  if (variant.with_labels) {
    json::set_at(given, "training.label_input", kShownLabels);
    json::set_at(given, "training.consistency.passes", 0);  // which labels as input exclude
  }
  if (variant.without_features) json::set_at(given, "training.inputs", "identity");
  if (variant.with_words) json::set_at(given, "training.inputs", "words");
  if (!variant.model.empty()) json::set_at(given, "model.preset", variant.model);
  return given;
}

void check_comparable(const Config& config) {
  if (!config.from.empty())
    throw UsageError(
        fmt::format("{}: works with train only; models are compared from scratch", setting("training.from")));
  if (is_pretraining(config.data))
    throw UsageError(fmt::format("{}: {} works with train only; it makes a model to start from ({})",
                                 setting("data.task"), config.data.task, setting("training.from")));
}

void check_comparable(const Config& config, const Dataset& data) {
  check_runs(data, config.split, config.runs);
  check_steps(config, data);
  checked_metric(config.training.metric, data.labels);
}

Dataset read_comparable(const Config& config, const PartHolding& parts) {
  LoadOptions options = load_options_for(config.split);
  options.parts = parts;
  Dataset data = read_dataset(config.data, options);
  check_comparable(config, data);
  return data;
}

Comparison compare_models(const ComparisonPlan& plan, const Dataset& data, const ComparisonHooks& hooks) {
  Comparison comparison;
  const Config config = plan.config_of("");
  comparison.metric = checked_metric(config.training.metric, data.labels);
  comparison.sample = test_sample(config, data);
  for (const std::string& model : plan.models) {
    add_model(plan, variant_named(model), data, hooks, comparison);
    if (comparison.was_stopped) return comparison;
  }
  if (plan.with_average) add_average(config, data, hooks, comparison);
  if (!plan.with_variants) return comparison;
  const std::vector<Contender>& contenders = comparison.contenders;
  const auto add_variant = [&](std::optional<std::size_t> of, bool Variant::*difference) {
    if (!of || comparison.was_stopped) return;
    Variant variant = contenders[*of].variant;
    variant.*difference = true;
    add_model(plan, variant, data, hooks, comparison);
  };
  add_variant(to_try_with_labels(config, data, contenders, comparison.metric), &Variant::with_labels);
  add_variant(to_try_with_words(config, data, contenders, comparison.metric), &Variant::with_words);
  add_variant(to_try_without_edges(data, contenders, comparison.metric), &Variant::without_edges);
  const auto spreading = std::ranges::find_if(
      contenders, [](const Contender& contender) { return contender.variant.only_spreads_labels(); });
  if (spreading != contenders.end())
    add_variant(to_try_without_features(config, data, contenders, summarise(spreading->validation).mean,
                                        comparison.metric),
                &Variant::without_features);
  return comparison;
}

ResultLog open_comparison_log(std::string path, Config config, const Dataset& data,
                              const std::vector<NamedFile>& files) {
  const auto check = [metric = checked_metric(config.training.metric, data.labels)](const json::Value& value) {
    check_logged_run(value, metric);
  };
  config.runs = 1;
  config.split.keep = 1;
  return {std::move(path),
          {.schema = "edgewise.compare-log/1",
           .about = "comparison",
           .list = "runs",
           .key = {"model", "share", "run"},
           .check = check},
          {to_json(config), files}};
}

void use_log(ResultLog& log, ComparisonHooks& hooks) {
  hooks.find = [&log](const std::string& model, const Config& config, std::int64_t run) {
    const json::Value* value = log.find(key_of(model, config, run));
    return value == nullptr ? std::nullopt : std::optional(run_from_json(*value));
  };
  hooks.keep = [&log](const std::string& model, const Config& config, std::int64_t run, const ComparedRun& result) {
    log.add(run_to_json(key_of(model, config, run), result));
  };
}

json::Value to_json(const Comparison& comparison, const Dataset& data, std::size_t planned) {
  const Contender& best = comparison.contenders[best_of(comparison.contenders, comparison.metric)];
  json::Array models;
  for (const std::size_t place : best_first(comparison))
    models.push_back(contender_to_json(comparison.contenders[place], best, comparison));
  return json::Object{{"metric", comparison.metric},
                      {"models", std::move(models)},
                      {"best", best.name()},
                      {"verdict", verdict_of(data, comparison, planned)},
                      {"interrupted", comparison.was_stopped}};
}

}  // namespace edgewise::train
