#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/jobs/baselines.hpp"
#include "edgewise/train/jobs/choose.hpp"
#include "edgewise/train/jobs/compare_models.hpp"
#include "edgewise/train/jobs/job.hpp"
#include "edgewise/train/jobs/merge_configs.hpp"
#include "edgewise/train/jobs/recipe.hpp"
#include "edgewise/train/jobs/tuning.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "failure.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#include "outputs.hpp"
#include "result_log.hpp"
#include "results.hpp"
#include "session.hpp"
#include "train_config.hpp"

namespace edgewise::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTuneSchema = "edgewise.tune/1";
constexpr const char* kUsualBudget = "10m";

struct TuneArguments {
  ConfigSources sources;
  std::vector<std::string> models;
  std::optional<std::string> budget;
  std::int64_t brackets = 0;  ///< 0: until the time budget is used up.
  std::string out;
  std::string log;
};

/// "90s", "10m", "2h".
double seconds_of(const std::string& budget) {
  double number = 0;
  const char* end = budget.data() + budget.size();
  const auto [unit, error] = std::from_chars(budget.data(), end, number);
  const double factor = end - unit != 1 ? 0 : *unit == 's' ? 1 : *unit == 'm' ? 60 : *unit == 'h' ? 3600 : 0;
  if (error != std::errc() || !(number > 0) || factor == 0)
    throw UsageError(fmt::format("--budget: expected a time such as 90s, 10m or 2h, got \"{}\"", budget));
  return number * factor;
}

/// In seconds; infinite for a number of brackets. Throws UsageError for a bad budget, and for both.
double time_limit(const TuneArguments& arguments) {
  const double seconds = seconds_of(arguments.budget.value_or(kUsualBudget));
  if (arguments.brackets == 0) return seconds;
  if (arguments.budget) throw UsageError("--brackets: replaces the time limit of --budget; give only one of them");
  return std::numeric_limits<double>::infinity();
}

/// The configuration of a trial. Settings from the command line apply to all trials.
train::Config trial_config(ConfigSources sources, const json::Value& settings, std::int64_t epochs) {
  sources.flags = train::merge_configs(settings, sources.flags);
  if (epochs > 0) json::set_at(sources.flags, "training.epochs", epochs);
  return read_config(sources);
}

std::string epochs_text(std::int64_t epochs) { return counted(static_cast<std::size_t>(epochs), "epoch"); }

json::Value to_json(const train::TuningStep& step) {
  return json::Object{{"trial", step.trial.number},
                      {"epochs", step.epochs},
                      {"validation", step.validation},
                      {"seconds", step.seconds},
                      {"settings", step.trial.settings}};
}

train::TuningStep step_from_json(const json::Value& value) {
  train::TuningStep step{.trial = {value.at("trial").as_integer(), value.at("settings")},
                         .epochs = value.at("epochs").as_integer(),
                         .seconds = value.at("seconds").as_number()};
  if (!value.at("validation").is_null()) step.validation = value.at("validation").as_number();
  return step;
}

/// The step from the log, if it is there.
std::optional<train::TuningStep> find_step(const ResultLog& log, const train::Trial& trial, std::int64_t epochs) {
  const json::Value* value = log.find({{"trial", trial.number}, {"epochs", epochs}});
  return value == nullptr ? std::nullopt : std::optional(step_from_json(*value));
}

/// Trains the trials of a search until its time is up.
class Search {
 public:
  Search(const TuneArguments& arguments, const train::JobData& data, std::string metric, ResultLog log,
         const Session& session, const Interrupt& interrupt)
      : arguments_(arguments),
        data_(data),
        metric_(std::move(metric)),
        log_(std::move(log)),
        session_(session),
        interrupt_(interrupt),
        seconds_(time_limit(arguments)) {}

  std::optional<train::TuningStep> try_trial(const train::Trial& trial, std::int64_t epochs) {
    if (std::optional<train::TuningStep> known = find_step(log_, trial, epochs)) return known;
    if (is_over()) return std::nullopt;
    train::TuningStep step{.trial = trial, .epochs = epochs};
    const Clock::time_point start = Clock::now();
    try {
      const std::optional<double> validation = train(trial_config(arguments_.sources, trial.settings, epochs));
      if (!validation) return std::nullopt;
      step.validation = *validation;
    } catch (const UsageError& error) {
      leave_out(error);
    } catch (const NumericalError& error) {
      leave_out(error);
    }
    step.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    log_.add(to_json(step));
    if (std::isnan(step.validation)) return step;
    note(session_, fmt::format("trial {}, {}: {} {}, {:.1f} s: {}", trial.number, epochs_text(epochs), metric_,
                               format_metric(step.validation), step.seconds, json::dump(trial.settings)));
    return step;
  }

  bool is_interrupted() const { return interrupt_.is_requested(); }
  /// The reasons why trials failed, and how often each did.
  const std::map<std::string, std::size_t>& problems() const { return problems_; }
  /// The reason why the last failed trial failed; "" if none did.
  const std::string& problem() const { return problem_; }

 private:
  void leave_out(const Error& error) {
    problem_ = error.what();
    ++problems_[problem_];
  }

  bool is_over() const {
    return interrupt_.is_requested() || std::chrono::duration<double>(Clock::now() - start_).count() >= seconds_;
  }

  /// The mean over the runs; nothing if time ran out before the last one ended.
  std::optional<double> train(const train::Config& config) const {
    train::FitHooks hooks;
    hooks.should_stop = [this] { return is_over(); };
    double sum = 0;
    for (std::int64_t run = 0; run < config.runs; ++run) {
      const train::Run result = train::run_job(config, data_, run, hooks);
      if (result.report.was_stopped) return std::nullopt;
      sum += train::metric(result.report.validation, metric_);
    }
    return sum / static_cast<double>(config.runs);
  }

  const TuneArguments& arguments_;
  const train::JobData& data_;
  std::string metric_;
  ResultLog log_;
  const Session& session_;
  const Interrupt& interrupt_;
  std::map<std::string, std::size_t> problems_;
  std::string problem_;
  Clock::time_point start_ = Clock::now();
  double seconds_;
};

/// The presets to tune: those of --models, else the one in the configuration, else all that fit.
std::vector<std::string> models_to_tune(const TuneArguments& arguments, const train::Config& config,
                                        const train::JobData& data) {
  if (config.model.find("blocks") != nullptr)
    throw UsageError("model: expected a preset to be tuned, not a list of blocks");
  const bool is_one = arguments.models.empty() && !train::is_choice(config.model);
  std::vector<std::string> named = is_one ? std::vector{train::model_name(config.model)} : arguments.models;
  if (named.empty()) named = train::models_to_compare(config, data);
  std::vector<std::string> models;
  for (const std::string& name : named) {
    const json::Value model = json::Object{{"preset", name}};
    train::check_model_name(model);
    const bool is_fixed = train::is_baseline(model) || train::is_choice(model);
    if (is_fixed && (is_one || !arguments.models.empty()))
      throw UsageError(fmt::format("--models: {} has nothing to tune", name));
    if (!is_fixed) models.push_back(name);
  }
  return models;
}

std::string tuning_text(const json::Value& object) {
  const json::Value& best = object.at("best");
  return fmt::format("{}, {}\nbest: trial {}, {}, {} {} on the validation items: {}",
                     counted(static_cast<std::size_t>(object.at("trials").as_integer()), "trial"),
                     counted(object.at("steps").as_array().size(), "training"), best.at("trial").as_integer(),
                     epochs_text(best.at("epochs").as_integer()), object.at("metric").as_string(),
                     format_metric(best.at("validation").as_number()), json::dump(best.at("settings")));
}

json::Value tuning_result(const std::vector<train::TuningStep>& steps, const train::TuningStep& best,
                          const train::TuningOptions& options, const train::Config& config) {
  json::Value object;
  object.set("schema", kTuneSchema);
  object.set("metric", options.metric);
  std::int64_t trials = 0;
  json::Array list;
  for (const train::TuningStep& step : steps) {
    trials = std::max(trials, step.trial.number + 1);
    list.push_back(to_json(step));
  }
  object.set("trials", trials);
  object.set("threads", threads());
  object.set("best", to_json(best));
  object.set("configuration", train::to_json(config));
  object.set("steps", std::move(list));
  return object;
}

/// Whether the flags say which model it is.
bool has_model_flag(const ConfigSources& sources) {
  const json::Value* model = sources.flags.find("model");
  return model != nullptr && model->find("preset") != nullptr;
}

void check_models(const TuneArguments& arguments) {
  if (!arguments.models.empty() && has_model_flag(arguments.sources))
    throw UsageError("--model: names the one model to tune; with --models, add it to that list");
  check_once("--models", "model", arguments.models);
}

train::TuningOptions tuning_options(const TuneArguments& arguments, const train::Config& config,
                                    const train::JobData& data) {
  train::TuningOptions options{.models = models_to_tune(arguments, config, data),
                               .epochs = config.training.epochs,
                               .metric = train::checked_metric(config.training.metric, data.labels),
                               .seed = config.training.seed,
                               .is_graph_level = data.graphs.has_value()};
  if (arguments.brackets > 0) options.brackets = arguments.brackets;
  return options;
}

/// The log of trainings. It is tied to the configuration, the models and the data.
ResultLog log_of_search(const TuneArguments& arguments, const train::Config& config,
                        const std::vector<std::string>& models, const Session& session) {
  const auto check = [](const json::Value& value) { step_from_json(value); };
  ResultLog log(arguments.log,
                {.schema = kTuneSchema,
                 .about = "search",
                 .list = "steps",
                 .key = {"trial", "epochs"},
                 .check = check},
                {json::Object{{"configuration", train::to_json(config)}, {"models", models}},
                 input_files(config.data, config.split)});
  if (!log.results().empty())
    note(session, fmt::format("{}: continues after {}", arguments.log, counted(log.results().size(), "training")));
  return log;
}

/// Throws the reason why a search that was not interrupted has no best step.
[[noreturn]] void refuse_without_best(const TuneArguments& arguments, const std::string& problem, bool has_steps,
                                      const std::string& metric, const std::string& data) {
  if (!problem.empty()) throw UsageError(fmt::format("no trial could be trained: {}", problem));
  if (has_steps)
    throw DataError(fmt::format("{}: {} is not defined on the validation items, so trials cannot be compared", data,
                                metric));
  throw UsageError(fmt::format("--budget: no training finished within {}", arguments.budget.value_or(kUsualBudget)));
}

void save_config(const std::string& path, const train::Config& config, const Session& session) {
  write_file_atomically(path, [&](std::ostream& out) { out << json::dump_pretty(train::to_json(config)) << '\n'; });
  note(session, fmt::format("wrote {}: edgewise train --config {}", path, path));
}

int tune_verb(const TuneArguments& arguments, const Session& session) {
  check_models(arguments);
  time_limit(arguments);
  const train::Config config = trial_config(arguments.sources, json::Object{}, 0);
  train::check_comparable(config);
  check_outputs({{"--out", arguments.out}, {"--log", arguments.log}}, input_files(config, arguments.sources.file));
  const Interrupt interrupt;
  const train::JobData data = train::load_job_data(config.data, train::load_options_for(config.split));
  check_share_flags(arguments.sources.flags, config.split, data);
  train::check_steps(config, data);
  for (const std::string& line : data.notes) note(session, line);
  const train::TuningOptions options = tuning_options(arguments, config, data);
  Search search(arguments, data, options.metric, log_of_search(arguments, config, options.models, session), session,
                interrupt);
  const std::vector<train::TuningStep> steps = train::tune(
      options, [&](const train::Trial& trial, std::int64_t epochs) { return search.try_trial(trial, epochs); });
  const train::TuningStep* best = train::best_step(steps, options.metric);
  if (best == nullptr && search.is_interrupted()) return session.stop_before_result(kTuneSchema);
  if (best == nullptr)
    refuse_without_best(arguments, search.problem(), !steps.empty(), options.metric, data.name);
  for (const auto& [problem, count] : search.problems())
    note(session, fmt::format("{} skipped: {}", counted(count, "training is", "trainings are"), problem));
  const train::Config found = trial_config(arguments.sources, best->trial.settings, 0);
  if (!arguments.out.empty()) save_config(arguments.out, found, session);
  json::Value object = tuning_result(steps, *best, options, found);
  object.set("interrupted", search.is_interrupted());
  session.print_result(tuning_text(object), object);
  return search.is_interrupted() ? kInterrupted : kDone;
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
  verb.add_option("--budget", arguments->budget, "Time limit such as 90s, 10m or 2h; default 10m");
  verb.add_option("--brackets", arguments->brackets,
                  "Number of brackets instead of a time limit: the same search on every machine")
      ->check(integer_in(1));
  verb.add_option("--out", arguments->out, "Where to write the best configuration, for train --config");
  verb.add_option("--log", arguments->log, "Where to keep the results of all trainings; an existing file is continued");
  ConfigFlags flags(verb, arguments->sources.flags);
  for (const char* section : {"data", "split"}) flags.add(section);
  add_model_flags(verb, flags);
  flags.add("training");
  flags.add_set_flag();
  add_examples(verb, {"edgewise tune --edges friends.csv --nodes people.csv --label buys --budget 10m --out best.json"},
               kWhichDefaults);
  session.add_verb(verb, [arguments, &session] { return tune_verb(*arguments, session); });
}

}  // namespace edgewise::app
