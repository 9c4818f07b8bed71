#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "edgewise/core/error.hpp"
#include "edgewise/core/folder.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/report/train_page.hpp"
#include "edgewise/report/train_result.hpp"
#include "edgewise/train/choose/choose.hpp"
#include "edgewise/train/choose/train_runs.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/run/baselines.hpp"
#include "edgewise/train/run/recipe.hpp"
#include "edgewise/train/use/domain_report.hpp"
#include "flags.hpp"
#include "model_data.hpp"
#include "outputs.hpp"
#include "results.hpp"
#include "run_log.hpp"
#include "session.hpp"
#include "train_config.hpp"

namespace edgewise::app {
namespace {

struct TrainArguments {
  ConfigSources sources;
  bool is_print_config = false;
  std::string out;
  std::string predictions;
  std::string metrics;
  std::string splits;
  std::string report;
  std::string checkpoint;
  std::int64_t checkpoint_every = 0;
};

train::RunFiles files_of(const TrainArguments& arguments) {
  return {.model = arguments.out, .checkpoint = arguments.checkpoint, .resume = arguments.sources.resume};
}

std::string split_path(const TrainArguments& arguments, std::int64_t run) {
  return (std::filesystem::path(arguments.splits) / fmt::format("split-{}.csv", run)).string();
}

/// What is told of a training under way: on standard error, in the file of --metrics, and later in the page.
struct Logs {
  RunLog run;
  report::EpochLog epochs = {};
};

train::RunHooks make_hooks(const TrainArguments& arguments, const Session& session, Logs& logs) {
  train::RunHooks hooks;
  hooks.fit.on_epoch = [&logs, has_page = !arguments.report.empty()](const train::EpochRecord& record) {
    logs.run.on_epoch(record);
    if (has_page) logs.epochs.add(record);
  };
  hooks.fit.on_model = [&logs](const std::string& model) {
    logs.run.start_model(model);
    logs.epochs.start_model(model);
  };
  hooks.note = hooks.fit.note = note_hook(session);
  hooks.fit.on_work = [&log = logs.run](double share) { log.on_work(share); };
  hooks.fit.should_stop = [&session] { return session.ranks->agree(session.interrupt->is_requested()); };
  hooks.fit.now = [&session] { return session.ranks->now(); };
  hooks.fit.checkpoint_every = arguments.checkpoint_every;
  hooks.on_start = [&logs](std::int64_t run, std::uint64_t seed) {
    logs.run.start_run(run, seed);
    logs.epochs.start_run(run);
  };
  hooks.on_end = [&log = logs.run](const train::Report& report) { log.end_run(report); };
  hooks.on_stop = [&session] { session.end_orderly(); };
  return hooks;
}

/// What an interrupted training says at its end.
std::string stopped_line(const TrainArguments& arguments, const train::Config& config, const train::TrainedRuns& runs) {
  std::string line = "stopped";
  const std::optional<std::int64_t> models = runs.set.empty() ? std::nullopt : report::ensemble_size(runs.set.best());
  if (models && *models < config.ensemble)
    line += fmt::format(" with {} of {} models of the ensemble", *models, config.ensemble);
  if (runs.has_checkpoint && runs.checkpoint_problem.empty())
    line += fmt::format("; continue with: edgewise train --resume {}",
                        train::checkpoint_path(config, files_of(arguments)));
  return line;
}

train::TrainedRuns run_all(const TrainArguments& arguments, const Session& session, const train::Config& config,
                           const train::Dataset& data, Logs& logs) {
  train::TrainedRuns runs = train::train_runs(config, data, files_of(arguments), make_hooks(arguments, session, logs));
  if (runs.was_stopped) note(session, stopped_line(arguments, config, runs));
  return runs;
}

void save_splits(const TrainArguments& arguments, const train::Dataset& data, const train::RunSet& set) {
  for (std::size_t i = 0; i < set.size(); ++i)
    train::write_split(split_path(arguments, static_cast<std::int64_t>(i)), data, set.results()[i].split);
}

void check_model(const train::Config& config) {
  train::check_model_name(config.model);
  if (!config.split.name.empty() && config.data.dataset.empty())
    throw UsageError("split.name: only data sets of the catalogue have splits with names");
}

void check_arguments(const TrainArguments& arguments, const train::Config& config) {
  if (arguments.checkpoint_every > 0 && arguments.checkpoint.empty() && arguments.out.empty())
    throw UsageError("--checkpoint-every: say where (--checkpoint or --out)");
  if (!arguments.predictions.empty()) io::predictions_format(arguments.predictions);
  if (train::is_pretraining(config.data) && !arguments.predictions.empty())
    throw UsageError(fmt::format("--predictions: {} predicts no labels; save the model (--out) to start from (--from)",
                                 config.data.task));
  if (train::is_of_links(config.data) && !arguments.predictions.empty())
    throw UsageError("--predictions: ties are known; save the model (--out), and ask for new ones: predict --top");
  if (train::is_pretraining(config.data) && config.runs > 1)
    throw UsageError(
        fmt::format("--runs: {} is one run, which makes a model to start from (--from)", config.data.task));
  if (config.model.has_no_model() && !arguments.out.empty())
    throw UsageError(fmt::format("--out: {} has no model to save", config.model.name()));
}

/// A new checkpoint may replace the one being resumed. No other input file may be replaced.
void check_files(const TrainArguments& arguments, const train::Config& config) {
  if (!arguments.splits.empty()) make_folder(arguments.splits);
  const std::vector<train::NamedFile> results = {
      {"--out", arguments.out}, {"--predictions", arguments.predictions}, {"--metrics", arguments.metrics},
      {"--report", arguments.report}};
  check_outputs(results, {{"--resume", arguments.sources.resume}});
  std::vector<train::NamedFile> outputs = results;
  const std::string checkpoint = train::checkpoint_path(config, files_of(arguments));
  outputs.push_back({checkpoint == arguments.checkpoint ? "--checkpoint" : "the checkpoint of --out", checkpoint});
  constexpr std::int64_t kMaxRuns = 1000;
  if (!arguments.splits.empty())
    for (std::int64_t run = 0; run < std::min(config.runs, kMaxRuns); ++run)
      outputs.push_back({"--save-splits", split_path(arguments, run)});
  check_outputs(outputs, input_files(config, arguments.sources.file));
}

/// Throws UsageError for what is only about labels.
void check_for_pairs(const TrainArguments& arguments, const train::Dataset& data) {
  if (!data.pairs) return;
  if (!arguments.predictions.empty())
    throw UsageError("--predictions: not for pairs; save the model (--out) and use edgewise predict");
  if (!arguments.report.empty()) throw UsageError("--report: not for pairs");
}

void describe(const Session& session, const train::Dataset& data) {
  if (data.pairs) return note(session, fmt::format("{}: {}", data.name, counted(data.pairs->size(), "pair")));
  const std::size_t count = data.graphs ? data.items().size() : data.collection ? data.collection->graphs.size() : 0;
  const std::string graphs = data.has_many_graphs() ? counted(count, "graph") + ", " : "";
  const std::size_t names = data.labels.names.size();
  note(session, fmt::format("{}: {}{}, {}, {}", data.name, graphs, counted(data.node_count(), "node"),
                            counted(data.edge_count(), "edge"),
                            data.labels.has_classes() ? counted(names, "class", "classes")
                                                      : counted(names, "target")));
  for (const std::string& line : data.notes) note(session, line);
}

/// Notes what flags say about the training of a baseline in vain.
void note_unused(const Session& session, const json::Value& flags, const train::Config& config) {
  const json::Value* given = flags.find("training");
  if (given == nullptr || !config.model.is_baseline()) return;
  const std::vector<std::string> unused = train::unused_by_baselines(*given);
  if (unused.empty()) return;
  note(session, fmt::format("{}: without effect on {}", fmt::join(unused, ", "), config.model.name()));
}

int train_verb(const TrainArguments& arguments, const Session& session) {
  const train::Config config = read_config(arguments.sources);
  if (arguments.is_print_config) {
    const json::Value printed = train::to_json(config);
    session.print_result(json::dump_pretty(printed), printed);
    return kDone;
  }
  blame_checkpoint(arguments.sources, {"model", "split", "data"}, [&] { check_model(config); });
  blame_checkpoint(arguments.sources, {"model", "training", "training.runs"},
                   [&] { train::check_state(config, files_of(arguments)); });
  check_arguments(arguments, config);
  check_files(arguments, config);
  const train::Dataset data = load_data(arguments.sources, config, session.parts());
  if (session.interrupt->is_requested()) return session.stop_before_result(report::kTrainSchema);
  check_share_flags(arguments.sources.flags, config.split, data);
  blame_checkpoint(arguments.sources, {"split", "training.runs"},
                   [&] { train::check_runs(data, config.split, config.runs); });
  check_for_pairs(arguments, data);
  describe(session, data);
  note_unused(session, arguments.sources.flags, config);
  Logs logs{
      {session,
       {.path = session.ranks->is_first() ? arguments.metrics : "", .is_continued = !arguments.sources.resume.empty()},
       config.runs}};
  train::TrainedRuns runs = blame_checkpoint(arguments.sources, {"model", "split", "training"},
                                              [&] { return run_all(arguments, session, config, data, logs); });
  if (runs.set.empty()) return session.stop_before_result(report::kTrainSchema);
  std::optional<Observed> undisturbed;
  if (runs.was_stopped) undisturbed.emplace(session.end_orderly());
  const train::Run& best = runs.set.best();
  if (!arguments.splits.empty()) save_splits(arguments, data, runs.set);
  if (!arguments.predictions.empty()) {
    train::ExtraColumns columns{.known = known_and_split(data, data.reading.label, best.split)};
    if (best.trained) columns.domain = train::domain_columns(train::domain_report_of(*best.trained, data));
    write_predictions_of(arguments.predictions, data, data.labels.task, data.labels.names, best.predictions,
                         best.deviations, std::move(columns));
  }
  logs.run.check();
  if (!runs.checkpoint_problem.empty()) throw DataError(runs.checkpoint_problem);
  json::Value object = report::train_result(config, data, runs);
  if (!arguments.out.empty()) object.set("out", arguments.out);
  if (!arguments.predictions.empty()) object.set("predictions", arguments.predictions);
  if (!arguments.report.empty()) {
    object.set("report", arguments.report);
    write_output(arguments.report,
                 to_html(report::TrainPage{session.command, config, data, runs, object, logs.epochs,
                                           report::places_of(runs, data, config.split)}));
  }
  session.print_result(report::train_text(data, runs, object), object);
  return runs.was_stopped ? kInterrupted : kDone;
}

}  // namespace

/// edgewise train: learns the labels of nodes or graphs.
void add_train(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand(
      "train", "Train a model of nodes, ties, molecules, reactions, texts or pairs, and say how good it is");
  auto arguments = std::make_shared<TrainArguments>();
  verb.add_option("dataset", arguments->sources.dataset,
                  "A data set of the catalogue (see edgewise data list), or a frozen network (.edgewise)");
  start_group(verb, "Output");
  verb.add_option("--out", arguments->out, "Where to save the model (safetensors); the best of several runs");
  verb.add_option("--predictions", arguments->predictions,
                  "Where to write the predictions for all nodes or graphs (.csv, .jsonl)");
  add_report_flag(verb, arguments->report);
  verb.add_option("--metrics", arguments->metrics, "Where to write every epoch as a line of JSON");
  verb.add_option("--save-splits", arguments->splits, "Folder for the split of each run (node,split CSV)");
  start_group(verb, "Checkpoints");
  verb.add_option("--checkpoint", arguments->checkpoint, "Where to save the state of training");
  verb.add_option("--checkpoint-every", arguments->checkpoint_every, "Epochs between checkpoints")
      ->check(integer_in(1));
  verb.add_option("--resume", arguments->sources.resume, "A checkpoint to continue from");
  ConfigFlags flags(verb, arguments->sources.flags);
  flags.add("data");
  flags.add("split");
  add_model_flags(verb, flags);
  flags.add("training");
  start_group(verb, "General");
  verb.add_option("--config", arguments->sources.file, "JSON file with the whole job; flags override it");
  verb.add_flag("--print-config", arguments->is_print_config,
                "Print the configuration in force, with all defaults for the data at hand, and exit")
      ->check(true_or_false());
  flags.add_set_flag();
  add_examples(verb,
               {"edgewise train --edges friends.csv --nodes people.csv --label buys --out model.safetensors",
                "edgewise train --molecules tested.csv --target solubility --out model.safetensors",
                "edgewise train --edges friends.csv --task links --out links.safetensors",
                "edgewise train --molecules tested.csv --target solubility --model gatv2 --report report.html",
                "edgewise train --texts reviews.csv --text review --label stars --out model.safetensors",
                "edgewise train --pairs dates.tsv --out dates.safetensors",
                "edgewise train cora --model gat --runs 10"},
               kWhichDefaults);
  session.add_verb(verb, [arguments, &session] { return train_verb(*arguments, session); });
}

}  // namespace edgewise::app
