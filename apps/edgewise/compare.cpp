#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compare_result.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/report/comparison_page.hpp"
#include "edgewise/report/shares_chart.hpp"
#include "edgewise/train/choose/compare_models.hpp"
#include "edgewise/train/run/recipe.hpp"
#include "failure.hpp"
#include "flags.hpp"
#include "model_data.hpp"
#include "outputs.hpp"
#include "session.hpp"
#include "train_config.hpp"

namespace edgewise::app {
namespace {

struct CompareArguments {
  ConfigSources sources;
  std::vector<std::string> models;
  std::vector<double> shares;  ///< Shares of the training items; empty: use all items.
  std::string chart;           ///< SVG file for the curves over the shares; empty: none.
  std::string report;          ///< HTML file; empty: none.
  std::string log;             ///< File with the results of finished runs; empty: none.
};

/// The configuration of `edgewise train --model MODEL`; see `contender_config`.
train::Config config_of(ConfigSources sources, const std::string& model) {
  sources.flags = train::contender_config(std::move(sources.flags), model);
  train::Config config = read_config(sources);
  config.budget.clear();  // what is compared is trained to the end
  return config;
}

/// Recipes say how often to train one model; how often to train each of many is for the user to say.
void set_usual_runs(ConfigSources& sources) {
  constexpr const char* kRuns = "training.runs";
  if (json::find_at(sources.flags, kRuns) != nullptr) return;
  if (json::find_at(*sources.files, kRuns) != nullptr) return;
  json::set_at(sources.flags, kRuns, train::kComparedRuns);
}

train::ResultLog open_log(const CompareArguments& arguments, const train::Dataset& data, const Session& session) {
  const train::Config config = config_of(arguments.sources, "");
  train::ResultLog log =
      train::open_comparison_log(arguments.log, config, data, train::input_files(config.data, config.split));
  if (!log.results().empty())
    note(session, fmt::format("{}: continues after {}", arguments.log, counted(log.results().size(), "run")));
  return log;
}

/// Finds earlier runs in the log, and keeps others there.
train::ComparisonHooks hooks_of(const Session& session, train::ResultLog& log) {
  train::ComparisonHooks hooks;
  train::use_log(log, hooks);
  hooks.on_contender = [&session](const train::Contender& contender) {
    note(session, fmt::format("{}: {}, {:.1f} s", contender.name(), counted(contender.test.size(), "run"),
                              contender.seconds));
  };
  hooks.note = note_hook(session);
  hooks.training.should_stop = [&session] { return session.interrupt->is_requested(); };
  return hooks;
}

/// If neither --models nor --shares was given, variants of the best are tried as well.
train::Comparison compare_models(const CompareArguments& arguments, const std::vector<std::string>& models,
                                 const train::Dataset& data, const train::ComparisonHooks& hooks) {
  const train::ComparisonPlan plan{
      .models = models,
      .config_of = [&](const std::string& model) { return config_of(arguments.sources, model); },
      .with_variants = arguments.models.empty() && arguments.shares.empty(),
      .with_average = arguments.shares.empty()};
  return train::compare_models(plan, data, hooks);
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

/// Prints the result, and writes it as a page.
int end(const CompareArguments& arguments, const train::Config& config, const train::Dataset& data,
        const Session& session, const std::string& text, json::Value object) {
  if (!arguments.report.empty()) {
    object.set("report", arguments.report);
    write_output(arguments.report, report::comparison_page({session.command, config, data, object}));
  }
  session.print_result(text, object);
  return object.at("interrupted").as_bool() ? kInterrupted : kDone;
}

int compare_shares(CompareArguments arguments, const std::vector<std::string>& models, const train::Dataset& data,
                   const Session& session, const train::ComparisonHooks& hooks) {
  json::Array shares;
  bool was_stopped = false;
  for (const double share : arguments.shares) {
    json::set_at(arguments.sources.flags, "split.keep", share);
    note(session, fmt::format("{} of the training items", share));
    const train::Comparison comparison = compare_models(arguments, models, data, hooks);
    was_stopped = comparison.was_stopped;
    if (was_stopped && comparison.contenders.empty()) break;
    json::Value object = compare_result(data, comparison, models.size());
    object.set("share", share);
    shares.push_back(std::move(object));
    if (was_stopped) break;
  }
  if (shares.empty()) return session.stop_before_result(kCompareSchema);
  if (!arguments.chart.empty())
    write_output(arguments.chart, report::draw_alone(report::shares_chart(data.name, shares)));
  std::string text = shares_table(shares);
  if (was_stopped) text += "\n\ninterrupted: the other models and shares were not finished";
  return end(arguments, config_of(arguments.sources, ""), data, session, text,
             json::Object{
                 {"schema", kCompareSchema}, {"dataset", data.name}, {"shares", shares}, {"interrupted", was_stopped}});
}

int compare_verb(CompareArguments arguments, const Session& session) {
  read_files(arguments.sources);
  set_usual_runs(arguments.sources);
  check_models(arguments);
  const train::Config config = config_of(arguments.sources, "");
  check_shares(arguments, config);
  train::check_comparable(config);
  check_outputs({{"--chart", arguments.chart}, {"--report", arguments.report}, {"--log", arguments.log}},
                input_files(config, arguments.sources.file));
  const train::Dataset data = train::read_comparable(config, session.parts());
  check_share_flags(arguments.sources.flags, config.split, data);
  for (const std::string& line : data.notes) note(session, line);
  const std::vector<std::string> models =
      arguments.models.empty() ? train::models_to_compare(config, data) : arguments.models;
  train::ResultLog log = open_log(arguments, data, session);
  const train::ComparisonHooks hooks = hooks_of(session, log);
  if (!arguments.shares.empty()) return compare_shares(arguments, models, data, session, hooks);
  const train::Comparison comparison = compare_models(arguments, models, data, hooks);
  if (comparison.contenders.empty() && comparison.was_stopped) return session.stop_before_result(kCompareSchema);
  const json::Value object = compare_result(data, comparison, models.size());
  return end(arguments, config, data, session, compare_text(object), object);
}

}  // namespace

/// edgewise compare: compares the models that fit the data on the same splits.
void add_compare(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand(
      "compare",
      fmt::format("Compare models on the same splits, {} runs each, and say which to use", train::kComparedRuns));
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
  verb.add_option("--chart", arguments->chart, "With --shares: where to draw the curves of the test metric (.svg)");
  add_report_flag(verb, arguments->report);
  verb.add_option("--log", arguments->log,
                  "Where to keep the results of finished runs; an existing file is continued");
  ConfigFlags flags(verb, arguments->sources.flags);
  flags.add("data");
  flags.add("split");
  flags.add("training");
  verb.remove_option(verb.get_option("--budget"));  // what is compared is trained alike
  verb.get_option("--runs")->default_str(std::to_string(train::kComparedRuns));
  flags.add_set_flag();
  add_examples(verb, {"edgewise compare --edges friends.csv --nodes people.csv --label buys",
                      "edgewise compare esol --split scaffold --models descriptors,sage,gatv2 --runs 3"},
               kWhichDefaults);
  session.add_verb(verb, [arguments, &session] { return compare_verb(*arguments, session); });
}

}  // namespace edgewise::app
