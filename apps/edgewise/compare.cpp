#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/jobs/comparison.hpp"
#include "edgewise/train/jobs/job.hpp"
#include "edgewise/train/jobs/job_split.hpp"
#include "edgewise/train/jobs/recipe.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "compare_result.hpp"
#include "failure.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#include "outputs.hpp"
#include "result_log.hpp"
#include "session.hpp"
#include "shares_chart.hpp"
#include "train_config.hpp"

namespace edgewise::app {
namespace {

constexpr std::int64_t kRuns = 5;

struct CompareArguments {
  ConfigSources sources;
  std::vector<std::string> models;
  std::vector<double> shares;  ///< Shares of the training items; empty: use all items.
  std::string chart;           ///< SVG file for the curves over the shares; empty: none.
  std::string log;             ///< File with the results of finished runs; empty: none.
};

/// Removes `suffix` from the name of a model that has it.
bool take_suffix(std::string& model, std::string_view suffix) {
  if (!model.ends_with(suffix)) return false;
  model.erase(model.size() - suffix.size());
  return true;
}

/// The configuration of `edgewise train --model MODEL`; for "MODEL + labels" with --label-input as well, which excludes
/// consistency, and for "MODEL without edges" with a graph that has none.
train::Config config_of(ConfigSources sources, std::string model) {
  if (take_suffix(model, train::kWithoutEdges)) json::set_at(sources.flags, "model.graph.edges", false);
  if (take_suffix(model, train::kWithLabels)) {
    json::set_at(sources.flags, "training.label_input", train::kShownLabels);
    json::set_at(sources.flags, "training.consistency.passes", 0);
  }
  if (!model.empty()) json::set_at(sources.flags, "model.preset", model);
  if (sources.flags.find("training") == nullptr || sources.flags.at("training").find("runs") == nullptr)
    json::set_at(sources.flags, "training.runs", kRuns);
  return read_config(sources);
}

/// The part of a run's result that is kept.
struct RunResult {
  std::string metric;
  double validation = 0;
  double test = 0;
  double seconds = 0;
};

/// Identifies a run of a comparison: the model, the share of the training items, and the number of the run.
json::Object key_of(const std::string& model, const train::Config& config, std::int64_t run) {
  return {{"model", model}, {"share", config.split.keep}, {"run", run}};
}

json::Value to_json(json::Object key, const RunResult& result) {
  json::Value value = std::move(key);
  value.set("metric", result.metric);
  value.set("validation", result.validation);
  value.set("test", result.test);
  value.set("seconds", result.seconds);
  return value;
}

RunResult result_from_json(const json::Value& value) {
  return {value.at("metric").as_string(), value.at("validation").as_number_or_nan(),
          value.at("test").as_number_or_nan(), value.at("seconds").as_number()};
}

void check_result(const json::Value& value) {
  for (const char* member : {"model", "share", "run"}) value.at(member);
  result_from_json(value);
}

std::optional<RunResult> find_result(const ResultLog& log, const json::Object& key) {
  const json::Value* value = log.find(key);
  return value == nullptr ? std::nullopt : std::optional(result_from_json(*value));
}

/// The log of runs. It is tied to the data, splits and options, but not to the models or the number of runs.
ResultLog open_log(const CompareArguments& arguments, const Session& session) {
  train::Config config = config_of(arguments.sources, "");
  config.runs = 1;
  config.split.keep = 1;
  ResultLog log(arguments.log,
                {.schema = "edgewise.compare-log/1",
                 .about = "comparison",
                 .list = "runs",
                 .key = {"model", "share", "run"},
                 .check = check_result},
                {train::to_json(config), input_files(config.data, config.split)});
  if (!log.results().empty())
    note(session, fmt::format("{}: continues after {}", arguments.log, counted(log.results().size(), "run")));
  return log;
}

/// All runs of a model, or fewer if interrupted.
train::Contender run_model(const std::string& model, const train::Config& config, const train::JobData& data,
                           const Interrupt& interrupt, ResultLog& log, Comparison& comparison) {
  train::Contender contender{.model = model};
  train::FitHooks hooks;
  hooks.should_stop = [&interrupt] { return interrupt.is_requested(); };
  for (std::int64_t run = 0; run < config.runs; ++run) {
    std::optional<RunResult> result = find_result(log, key_of(model, config, run));
    if (!result) {
      const train::Report report = train::run_job(config, data, run, hooks).report;
      comparison.was_stopped = interrupt.is_requested();
      if (comparison.was_stopped) break;  // discard an incomplete run
      result = {report.metric, train::metric(report.validation, report.metric),
                train::metric(report.test, report.metric), report.seconds};
      log.add(to_json(key_of(model, config, run), *result));
    }
    comparison.metric = result->metric;
    contender.validation.push_back(result->validation);
    contender.test.push_back(result->test);
    contender.seconds += result->seconds;
  }
  return contender;
}

void add_model(const CompareArguments& arguments, const std::string& model, const train::JobData& data,
               const Session& session, const Interrupt& interrupt, ResultLog& log, Comparison& comparison) {
  const train::Config config = config_of(arguments.sources, model);
  try {
    train::Contender contender = run_model(model, config, data, interrupt, log, comparison);
    if (comparison.was_stopped) return;
    note(session, fmt::format("{}: {}, {:.1f} s", model, counted(contender.test.size(), "run"), contender.seconds));
    comparison.contenders.push_back(std::move(contender));
  } catch (const UsageError& error) {
    note(session, fmt::format("{} is skipped: {}", model, error.what()));
  }
}

/// Compares all `models`. If neither --models nor --shares was given, also those that --model auto would try with labels
/// as input and without edges.
Comparison compare_models(const CompareArguments& arguments, const std::vector<std::string>& models,
                          const train::JobData& data, const Session& session, const Interrupt& interrupt,
                          ResultLog& log) {
  Comparison comparison;
  comparison.sample = train::test_sample(config_of(arguments.sources, ""), data);
  for (const std::string& model : models) {
    add_model(arguments, model, data, session, interrupt, log, comparison);
    if (comparison.was_stopped) return comparison;
  }
  if (!arguments.models.empty() || !arguments.shares.empty()) return comparison;
  const auto add_variant = [&](std::optional<std::size_t> of, const char* suffix) {
    if (!of || comparison.was_stopped) return;
    add_model(arguments, comparison.contenders[*of].model + suffix, data, session, interrupt, log, comparison);
  };
  const std::vector<train::Contender>& contenders = comparison.contenders;
  add_variant(to_try_with_labels(config_of(arguments.sources, ""), data, contenders, comparison.metric),
              train::kWithLabels);
  add_variant(train::to_try_without_edges(data, contenders, comparison.metric), train::kWithoutEdges);
  return comparison;
}

void check_models(const CompareArguments& arguments) {
  for (const std::string& model : arguments.models) train::check_model_name(config_of(arguments.sources, model).model);
  check_once("--models", "model", arguments.models);
}

void check_shares(const CompareArguments& arguments, const train::Config& config) {
  if (!arguments.chart.empty() && arguments.shares.empty())
    throw UsageError("--chart: is drawn over shares of the training items; add --shares");
  if (!arguments.chart.empty() && !arguments.chart.ends_with(".svg"))
    throw UsageError(fmt::format("--chart: expected a file name ending in .svg, got \"{}\"", arguments.chart));
  for (const double share : arguments.shares)
    if (!(share > 0 && share <= 1))
      throw UsageError(fmt::format("--shares: expected numbers above 0, and at most 1, got {}", share));
  check_once("--shares", "share", arguments.shares);
  const json::Value* split = arguments.sources.flags.find("split");
  const bool has_flag = split != nullptr && split->find("keep") != nullptr;
  if (!arguments.shares.empty() && (has_flag || config.split.keep != 1))
    throw UsageError(fmt::format(
        "{}: is one share of the training items, --shares are several; give only one of them",
        has_flag ? "--keep-share" : "split.keep"));
}

int compare_shares(CompareArguments arguments, const std::vector<std::string>& models, const train::JobData& data,
                   const Session& session, const Interrupt& interrupt, ResultLog& log) {
  json::Array shares;
  bool was_stopped = false;
  for (const double share : arguments.shares) {
    json::set_at(arguments.sources.flags, "split.keep", share);
    note(session, fmt::format("{} of the training items", share));
    const Comparison comparison = compare_models(arguments, models, data, session, interrupt, log);
    was_stopped = comparison.was_stopped;
    if (was_stopped && comparison.contenders.empty()) break;
    json::Value object = compare_result(data, comparison, models.size());
    object.set("share", share);
    shares.push_back(std::move(object));
    if (was_stopped) break;
  }
  if (shares.empty()) return session.stop_before_result(kCompareSchema);
  if (!arguments.chart.empty())
    write_file_atomically(arguments.chart, [&](std::ostream& out) { out << shares_chart(data.name, shares); });
  std::string text = shares_table(shares);
  if (was_stopped) text += "\n\ninterrupted: the other models and shares were not finished";
  session.print_result(
      text,
      json::Object{
          {"schema", kCompareSchema}, {"dataset", data.name}, {"shares", shares}, {"interrupted", was_stopped}});
  return was_stopped ? kInterrupted : kDone;
}

int compare_verb(const CompareArguments& arguments, const Session& session) {
  check_models(arguments);
  const train::Config config = config_of(arguments.sources, "");
  check_shares(arguments, config);
  check_comparable(config);
  check_outputs({{"--chart", arguments.chart}, {"--log", arguments.log}},
                input_files(config, arguments.sources.file));
  const Interrupt interrupt;
  const train::JobData data = train::load_job_data(config.data, train::load_options_for(config.split));
  check_share_flags(arguments.sources.flags, config.split, data);
  train::check_runs(data, config.split, config.runs);
  train::check_steps(config, data);
  train::checked_metric(config.training.metric, data.labels);
  for (const std::string& line : data.notes) note(session, line);
  const std::vector<std::string> models =
      arguments.models.empty() ? train::models_to_compare(config, data) : arguments.models;
  ResultLog log = open_log(arguments, session);
  if (!arguments.shares.empty()) return compare_shares(arguments, models, data, session, interrupt, log);
  const Comparison comparison = compare_models(arguments, models, data, session, interrupt, log);
  if (comparison.contenders.empty() && comparison.was_stopped) return session.stop_before_result(kCompareSchema);
  const json::Value object = compare_result(data, comparison, models.size());
  session.print_result(compare_text(object), object);
  return comparison.was_stopped ? kInterrupted : kDone;
}

}  // namespace

/// edgewise compare: compares the models that fit the data on the same splits.
void add_compare(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand(
      "compare", fmt::format("Compare models on the same splits, {} runs each, and say which to use", kRuns));
  auto arguments = std::make_shared<CompareArguments>();
  verb.add_option("dataset", arguments->sources.dataset, "A data set of the catalogue (see edgewise data list)");
  verb.add_option("--config", arguments->sources.file, "JSON file with the whole job; flags override it");
  add_list(verb, "--models", "Models to compare, by default all that fit the task; see train --model",
           [arguments](std::vector<std::string> models) { arguments->models = std::move(models); });
  verb.add_option(
          "--shares", arguments->shares,
          "Shares of the training items to train each model on, such as 0.01,0.1,1; smaller ones are part of larger "
          "ones")
      ->delimiter(',')
      ->check(any_number());
  verb.add_option("--chart", arguments->chart, "With --shares: where to draw the curves of the test metric (.svg)")
      ->take_last();
  verb.add_option("--log", arguments->log,
                  "Where to keep the results of finished runs; an existing file is continued")
      ->take_last();
  ConfigFlags flags(verb, arguments->sources.flags);
  flags.add("data");
  flags.add("split");
  flags.add("training");
  verb.get_option("--runs")->default_str(std::to_string(kRuns));
  flags.add_set_flag();
  add_examples(verb, {"edgewise compare --edges friends.csv --nodes people.csv --label buys",
                      "edgewise compare esol --split scaffold --models descriptors,sage,gatv2 --runs 3"},
               kWhichDefaults);
  session.add_verb(verb, [arguments, &session] { return compare_verb(*arguments, session); });
}

}  // namespace edgewise::app
