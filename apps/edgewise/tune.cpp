#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/report/comparison_page.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/train/choose/compare_models.hpp"
#include "edgewise/train/choose/tune_models.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/source/merge_configs.hpp"
#include "failure.hpp"
#include "flags.hpp"
#include "outputs.hpp"
#include "session.hpp"
#include "train_config.hpp"

namespace edgewise::app {
namespace {

constexpr const char* kTuneSchema = "edgewise.tune/1";

struct TuneArguments {
  ConfigSources sources;
  std::vector<std::string> models;
  std::optional<std::string> budget;
  std::int64_t brackets = 0;  ///< 0: until the time budget is used up.
  std::string out;
  std::string report;
  std::string log;
};

/// The configuration of a trial. Settings from the command line apply to all trials.
train::Config trial_config(ConfigSources sources, const json::Value& settings) {
  sources.flags = train::merge_configs(settings, sources.flags);
  train::Config config = read_config(sources);
  config.budget.clear();  // the search has one, its trainings have epochs
  return config;
}

std::string epochs_text(std::int64_t epochs) { return counted(static_cast<std::size_t>(epochs), "epoch"); }

std::string tuning_text(const json::Value& object) {
  const json::Value& best = object.at("best");
  if (best.at("settings") == json::Value(json::Object{}))
    return fmt::format("{}, {}\nno training of as many epochs is better than the choice that train makes, {} {} on the "
                       "validation items",
                       counted(static_cast<std::size_t>(object.at("trials").as_integer()), "trial"),
                       counted(object.at("steps").as_array().size(), "training"), object.at("metric").as_string(),
                       report::format_metric(best.at("validation").as_number()));
  return fmt::format("{}, {}\nbest: trial {}, {}, {} {} on the validation items: {}",
                     counted(static_cast<std::size_t>(object.at("trials").as_integer()), "trial"),
                     counted(object.at("steps").as_array().size(), "training"), best.at("trial").as_integer(),
                     epochs_text(best.at("epochs").as_integer()), object.at("metric").as_string(),
                     report::format_metric(best.at("validation").as_number()), json::dump(best.at("settings")));
}

json::Value tuning_result(const train::Search& search) {
  json::Value object = json::Object{{"schema", kTuneSchema}, {"threads", threads()}};
  for (auto& [name, value] : json::Object(train::to_json(search).as_object())) object.set(name, std::move(value));
  return object;
}

/// Whether the flags say which model it is.
bool has_model_flag(const ConfigSources& sources) {
  return train::ModelConfig::of_job(sources.flags).is_preset();
}

void check_models(const TuneArguments& arguments) {
  if (!arguments.models.empty() && has_model_flag(arguments.sources))
    throw UsageError("--model: names the one model to tune; with --models, add it to that list");
  check_once("--models", "model", arguments.models);
}

train::ResultLog open_log(const TuneArguments& arguments, const train::Config& config, const train::TuningPlan& plan,
                          const train::Dataset& data, const Session& session) {
  train::ResultLog log = train::open_search_log(arguments.log, config, plan, data,
                                                train::input_files(config.data, config.split));
  if (!log.results().empty())
    note(session, fmt::format("{}: continues after {}", arguments.log, counted(log.results().size(), "training")));
  return log;
}

/// Finds earlier trainings in the log, keeps others there, and tells of each.
train::TuningHooks hooks_of(const std::string& metric, const Session& session, train::ResultLog& log) {
  train::TuningHooks hooks;
  train::use_log(log, hooks);
  hooks.keep = [&session, metric, keep = std::move(hooks.keep)](const train::TuningStep& step) {
    keep(step);
    if (std::isnan(step.validation)) return;
    note(session, fmt::format("trial {}, {}: {} {}, {:.1f} s: {}", step.trial.number, epochs_text(step.epochs), metric,
                              report::format_metric(step.validation), step.seconds, json::dump(step.trial.settings)));
  };
  hooks.training.should_stop = [&session] { return session.interrupt->is_requested(); };
  return hooks;
}

void save_config(const std::string& path, const train::Config& config, const Session& session) {
  write_file_atomically(path, [&](std::ostream& out) { out << json::dump_pretty(train::to_json(config)) << '\n'; });
  note(session, fmt::format("wrote {}: edgewise train --config {}", path, path));
}

int tune_verb(TuneArguments arguments, const Session& session) {
  check_models(arguments);
  read_files(arguments.sources);
  train::TuningPlan plan;
  plan.config_of = [&](const json::Value& settings) { return trial_config(arguments.sources, settings); };
  plan.seconds = train::time_limit(arguments.budget, arguments.brackets);
  if (arguments.brackets > 0) plan.brackets = arguments.brackets;
  const train::Config config = plan.config_of(json::Object{});
  train::check_comparable(config);
  check_outputs({{"--out", arguments.out}, {"--report", arguments.report}, {"--log", arguments.log}},
                input_files(config, arguments.sources.file));
  const train::Dataset data = train::read_comparable(config, session.parts());
  check_share_flags(arguments.sources.flags, config.split, data);
  for (const std::string& line : data.notes) note(session, line);
  plan.models = train::models_to_tune(arguments.models, config, data);
  plan.are_models_named = !arguments.models.empty();
  const std::string metric = train::checked_metric(config.training.metric, data.labels);
  train::ResultLog log = open_log(arguments, config, plan, data, session);
  const train::Search search = train::tune_models(plan, data, hooks_of(metric, session, log));
  if (!search.best) return session.stop_before_result(kTuneSchema);
  for (const auto& [problem, count] : search.problems)
    note(session, fmt::format("{} skipped: {}", counted(count, "training is", "trainings are"), problem));
  if (!arguments.out.empty()) save_config(arguments.out, search.found, session);
  json::Value object = tuning_result(search);
  if (!arguments.report.empty()) {
    object.set("report", arguments.report);
    write_output(arguments.report, report::tuning_page({session.command, config, data, object}, search,
                                                       plan.models.size(), arguments.out));
  }
  session.print_result(tuning_text(object), object);
  return search.was_stopped ? kInterrupted : kDone;
}

}  // namespace

/// edgewise tune: finds the configuration with the best metric on the validation items.
void add_tune(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("tune", "Search for a better configuration on the validation items");
  auto arguments = std::make_shared<TuneArguments>();
  verb.add_option("dataset", arguments->sources.dataset, "A data set of the catalogue (see edgewise data list)");
  verb.add_option("--config", arguments->sources.file,
                  "JSON file with the job to start from; flags apply to all trials");
  add_list(verb, "--models", "Models to tune, by default all that fit the task; see train --model",
           [arguments](std::vector<std::string> models) { arguments->models = std::move(models); });
  verb.add_option("--brackets", arguments->brackets,
                  "Number of brackets instead of a time limit: the same search on every machine")
      ->check(integer_in(1));
  verb.add_option("--out", arguments->out, "Where to write the best configuration, for train --config");
  add_report_flag(verb, arguments->report);
  verb.add_option("--log", arguments->log, "Where to keep the results of all trainings; an existing file is continued");
  ConfigFlags flags(verb, arguments->sources.flags);
  for (const char* section : {"data", "split"}) flags.add(section);
  add_model_flags(verb, flags);
  flags.add("training");
  verb.remove_option(verb.get_option("--budget"));  // that of one training
  verb.add_option("--budget", arguments->budget, "Time limit of the search, such as 90s, 10m or 2h; default 10m");
  flags.add_set_flag();
  add_examples(verb, {"edgewise tune --edges friends.csv --nodes people.csv --label buys --budget 10m --out best.json"},
               kWhichDefaults);
  session.add_verb(verb, [arguments, &session] { return tune_verb(*arguments, session); });
}

}  // namespace edgewise::app
