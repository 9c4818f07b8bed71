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
#include "edgewise/data/split_file.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/train/choose/choose.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/run/baselines.hpp"
#include "edgewise/train/run/recipe.hpp"
#include "edgewise/train/run/run_set.hpp"
#include "edgewise/train/run/transfer.hpp"
#include "edgewise/train/source/masked_atoms.hpp"
#include "flags.hpp"
#include "model_data.hpp"
#include "outputs.hpp"
#include "report/train_page.hpp"
#include "results.hpp"
#include "run_log.hpp"
#include "session.hpp"
#include "train_config.hpp"
#include "train_result.hpp"

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

/// Whether a run can be saved and resumed: between epochs, or between the models of a choice.
bool has_state(const train::Config& config) { return config.ensemble == 1 && !train::is_baseline(config.model); }

/// Where the state of training is saved: at the given path, else beside the model.
std::string checkpoint_of(const TrainArguments& arguments, const train::Config& config) {
  if (!arguments.checkpoint.empty() || arguments.out.empty() || (config.runs == 1 && !has_state(config)))
    return arguments.checkpoint;
  return arguments.out + ".checkpoint";
}

std::string split_path(const TrainArguments& arguments, std::int64_t run) {
  return (std::filesystem::path(arguments.splits) / fmt::format("split-{}.csv", run)).string();
}

/// What is told of a training under way: on standard error, in the file of --metrics, and later in the page.
struct Logs {
  RunLog run;
  EpochLog epochs = {};
};

train::FitHooks make_hooks(const TrainArguments& arguments, const Session& session, const train::Config& config,
                           Logs& logs) {
  train::FitHooks hooks;
  hooks.on_epoch = [&logs, has_page = !arguments.report.empty()](const train::EpochRecord& record) {
    logs.run.on_epoch(record);
    if (has_page) logs.epochs.add(record);
  };
  hooks.on_model = [&logs](const std::string& model) {
    logs.run.start_model(model);
    logs.epochs.start_model(model);
  };
  hooks.note = note_hook(session);
  hooks.on_work = [&log = logs.run](double share) { log.on_work(share); };
  hooks.should_stop = [&session] { return session.interrupt->is_requested(); };
  if (has_state(config)) hooks.checkpoint = checkpoint_of(arguments, config);
  hooks.checkpoint_every = arguments.checkpoint_every;
  hooks.checkpoint_at_end = !arguments.checkpoint.empty() && config.runs == 1;
  return hooks;
}

void save_best(const TrainArguments& arguments, train::RunSet& set) {
  if (!arguments.out.empty() && set.best().trained) train::save_trained_model(arguments.out, *set.best().trained);
}

/// The finished runs of the checkpoint to resume. If it also has the state of an unfinished run, `hooks` resume it.
train::RunSet resume(const TrainArguments& arguments, const Session& session, const train::Config& config,
                     const train::JobData& data, train::FitHooks& hooks) {
  const std::string& path = arguments.sources.resume;
  if (path.empty()) return {};
  const train::CheckpointContent content = train::read_checkpoint(path);
  train::RunSet set = train::RunSet::from_note(path, content.note, config, data);
  if (content.epoch && !has_state(config))
    throw UsageError("--resume: the checkpoint is of a run of one model; continue with that model");
  if (content.epoch || content.note.value.find(train::kChoiceMember) != nullptr) hooks.resume = path;
  if (content.epoch && *content.epoch >= config.training.epochs)
    note(session, fmt::format("{}: the checkpoint is at epoch {} already: of {}, none is left to train", path,
                              *content.epoch, counted(static_cast<std::size_t>(config.training.epochs), "epoch")));
  if (set.empty()) return set;
  note(session, fmt::format("{}: continues after {}", path, counted(set.size(), "run")));
  save_best(arguments, set);
  return set;
}

/// Saves the finished runs of a set, which `fit` does not.
void save_set(const TrainArguments& arguments, const train::Config& config, const train::JobData& data, Runs& runs) {
  const bool is_due = config.runs > 1 && (runs.was_stopped || !arguments.checkpoint.empty());
  const std::string path = checkpoint_of(arguments, config);
  if (!is_due || path.empty()) return;
  train::save_checkpoint(path, runs.set.to_note(config, data));
  runs.has_checkpoint = true;
}

/// An interrupted run does not count, unless it is the only one. Its state, if it has one, has been saved.
void end_stopped_run(const TrainArguments& arguments, const Session& session, const train::Config& config,
                     const train::JobData& data, train::Run&& run, Runs& runs, RunLog& log) {
  runs.was_stopped = true;
  const std::size_t number = runs.set.size() + 1;
  if (!has_state(config)) save_set(arguments, config, data, runs);
  if (number > 1) {
    note(session, fmt::format("run {} was interrupted and is not counted", number));
  } else {
    const train::Report report = run.report;
    runs.set.add(data, std::move(run));
    save_best(arguments, runs.set);
    log.end_run(report);
  }
}

/// What an interrupted training says at its end.
std::string stopped_line(const TrainArguments& arguments, const train::Config& config, const Runs& runs) {
  std::string line = "stopped";
  const std::optional<std::int64_t> models = runs.set.empty() ? std::nullopt : ensemble_size(runs.set.best());
  if (models && *models < config.ensemble)
    line += fmt::format(" with {} of {} models of the ensemble", *models, config.ensemble);
  if (runs.has_checkpoint && runs.checkpoint_problem.empty())
    line += fmt::format("; continue with: edgewise train --resume {}", checkpoint_of(arguments, config));
  return line;
}

/// Nothing if it was given up because it did not stop soon enough. Its state, if it has one, has been saved.
std::optional<train::Run> run_one(const train::Config& config, const train::JobData& data, std::int64_t run,
                                  const train::FitHooks& hooks) try {
  return train::run_job(config, data, run, hooks);
} catch (const Interrupted&) {
  return std::nullopt;
}

/// A run that was given up does not count.
void end_given_up_run(const TrainArguments& arguments, const Session& session, const train::Config& config,
                      const train::JobData& data, Runs& runs) {
  runs.was_stopped = true;
  if (!has_state(config)) save_set(arguments, config, data, runs);
  if (!runs.set.empty()) note(session, fmt::format("run {} was interrupted and is not counted", runs.set.size() + 1));
}

Runs run_all(const TrainArguments& arguments, const Session& session, const train::Config& config,
             const train::JobData& data, Logs& logs) {
  RunLog& log = logs.run;
  train::FitHooks hooks = make_hooks(arguments, session, config, logs);
  Runs runs{.set = resume(arguments, session, config, data, hooks)};
  hooks.on_checkpoint = [&runs] { runs.has_checkpoint = true; };
  while (static_cast<std::int64_t>(runs.set.size()) < config.runs && !runs.was_stopped) {
    const auto i = static_cast<std::int64_t>(runs.set.size());
    log.start_run(i, config.training.seed + static_cast<std::uint64_t>(i));
    logs.epochs.start_run(i);
    if (!hooks.checkpoint.empty()) hooks.checkpoint_note = runs.set.to_note(config, data);
    std::optional<train::Run> made = run_one(config, data, i, hooks);
    std::optional<Observed> undisturbed;  // what is finished is saved
    if (session.interrupt->is_requested()) undisturbed.emplace(session.end_orderly());
    if (!made) {
      end_given_up_run(arguments, session, config, data, runs);
      break;
    }
    train::Run& run = *made;
    hooks.resume.clear();
    runs.checkpoint_problem = run.report.checkpoint_problem;
    const std::vector<std::string> notes = run.notes;
    if (run.report.was_stopped) {
      end_stopped_run(arguments, session, config, data, std::move(run), runs, log);
    } else {
      const train::Report report = run.report;
      // Saved before it is reported, whatever happens to later runs.
      if (runs.set.add(data, std::move(run))) save_best(arguments, runs.set);
      runs.was_stopped = session.interrupt->is_requested() && i + 1 < config.runs;
      save_set(arguments, config, data, runs);
      log.end_run(report);
    }
    if (i == 0)
      for (const std::string& line : notes) note(session, line);
  }
  if (runs.was_stopped) note(session, stopped_line(arguments, config, runs));
  return runs;
}

void save_splits(const TrainArguments& arguments, const train::JobData& data, const train::RunSet& set) {
  for (std::size_t i = 0; i < set.size(); ++i)
    data::write_split(split_path(arguments, static_cast<std::int64_t>(i)), data.items(), set.results()[i].split);
}

void check_model(const train::Config& config) {
  train::check_model_name(config.model);
  if (!config.split.name.empty() && config.data.dataset.empty())
    throw UsageError("split.name: only data sets of the catalogue have splits with names");
}

/// Throws UsageError if what is to be saved or resumed cannot be.
void check_state(const TrainArguments& arguments, const train::Config& config) {
  const bool is_saved = !(arguments.sources.resume.empty() && arguments.checkpoint.empty());
  if (is_saved && config.runs == 1 && !has_state(config))
    throw UsageError(
        "--checkpoint, --resume: a single run of an ensemble or a baseline cannot be resumed; ask for several runs "
        "(--runs)");
}

void check_arguments(const TrainArguments& arguments, const train::Config& config) {
  if (arguments.checkpoint_every > 0 && arguments.checkpoint.empty() && arguments.out.empty())
    throw UsageError("--checkpoint-every: say where (--checkpoint or --out)");
  if (!arguments.predictions.empty()) io::predictions_format(arguments.predictions);
  if (train::is_pretraining(config.data) && !arguments.predictions.empty())
    throw UsageError("--predictions: masked_atoms predicts no labels; save the model (--out) to start from (--from)");
  if (train::is_pretraining(config.data) && config.runs > 1)
    throw UsageError("--runs: masked_atoms is one run, which makes a model to start from (--from)");
  if (train::has_no_model(config.model) && !arguments.out.empty())
    throw UsageError(fmt::format("--out: {} has no model to save", train::model_name(config.model)));
}

/// A new checkpoint may replace the one being resumed. No other input file may be replaced.
void check_files(const TrainArguments& arguments, const train::Config& config) {
  if (!arguments.splits.empty()) make_folder(arguments.splits);
  const std::vector<train::NamedFile> results = {
      {"--out", arguments.out}, {"--predictions", arguments.predictions}, {"--metrics", arguments.metrics},
      {"--report", arguments.report}};
  check_outputs(results, {{"--resume", arguments.sources.resume}});
  std::vector<train::NamedFile> outputs = results;
  const std::string checkpoint = checkpoint_of(arguments, config);
  outputs.push_back({checkpoint == arguments.checkpoint ? "--checkpoint" : "the checkpoint of --out", checkpoint});
  constexpr std::int64_t kMaxRuns = 1000;
  if (!arguments.splits.empty())
    for (std::int64_t run = 0; run < std::min(config.runs, kMaxRuns); ++run)
      outputs.push_back({"--save-splits", split_path(arguments, run)});
  check_outputs(outputs, input_files(config, arguments.sources.file));
}

void describe(const Session& session, const train::JobData& data) {
  const std::size_t count = data.graphs ? data.items().size() : data.collection ? data.collection->graphs.size() : 0;
  const std::string graphs = data.has_many_graphs() ? counted(count, "graph") + ", " : "";
  const std::size_t names = data.labels.names.size();
  note(session, fmt::format("{}: {}{}, {}, {}", data.name, graphs, counted(data.graph.node_count(), "node"),
                            counted(data.graph.edge_count(), "edge"),
                            data.labels.task == data::Task::classification ? counted(names, "class", "classes")
                                                                           : counted(names, "target")));
  for (const std::string& line : data.notes) note(session, line);
}

/// Notes what flags say about the training of a baseline in vain.
void note_unused(const Session& session, const json::Value& flags, const train::Config& config) {
  const json::Value* given = flags.find("training");
  if (given == nullptr || !train::is_baseline(config.model)) return;
  const std::vector<std::string> unused = train::unused_by_baselines(*given);
  if (unused.empty()) return;
  note(session, fmt::format("{}: without effect on {}", fmt::join(unused, ", "), train::model_name(config.model)));
}

int train_verb(const TrainArguments& arguments, const Session& session) {
  const train::Config config = read_config(arguments.sources);
  if (arguments.is_print_config) {
    const json::Value printed = train::to_json(config);
    session.print_result(json::dump_pretty(printed), printed);
    return kDone;
  }
  blame_checkpoint(arguments.sources, {"model", "split", "data"}, [&] { check_model(config); });
  blame_checkpoint(arguments.sources, {"model", "training", "training.runs"}, [&] { check_state(arguments, config); });
  check_arguments(arguments, config);
  check_files(arguments, config);
  const train::JobData data = load_data(arguments.sources, config);
  if (session.interrupt->is_requested()) return session.stop_before_result(kTrainSchema);
  check_share_flags(arguments.sources.flags, config.split, data);
  blame_checkpoint(arguments.sources, {"split", "training.runs"},
                   [&] { train::check_runs(data, config.split, config.runs); });
  describe(session, data);
  note_unused(session, arguments.sources.flags, config);
  Logs logs{{session, {.path = arguments.metrics, .is_continued = !arguments.sources.resume.empty()}, config.runs}};
  const Runs runs = blame_checkpoint(arguments.sources, {"model", "split", "training"},
                                     [&] { return run_all(arguments, session, config, data, logs); });
  if (runs.set.empty()) return session.stop_before_result(kTrainSchema);
  std::optional<Observed> undisturbed;
  if (runs.was_stopped) undisturbed.emplace(session.end_orderly());
  const train::Run& best = runs.set.best();
  if (!arguments.splits.empty()) save_splits(arguments, data, runs.set);
  if (!arguments.predictions.empty())
    write_predictions_of(arguments.predictions, data, data.labels.task, data.labels.names, best.predictions,
                         best.deviations, {.known = known_and_split(data, data.config.label, best.split)});
  logs.run.check();
  if (!runs.checkpoint_problem.empty()) throw DataError(runs.checkpoint_problem);
  json::Value object = train_result(config, data, runs);
  if (!arguments.out.empty()) object.set("out", arguments.out);
  if (!arguments.predictions.empty()) object.set("predictions", arguments.predictions);
  if (!arguments.report.empty()) {
    object.set("report", arguments.report);
    write_output(arguments.report, to_html({session.command, config, data, runs, object, logs.epochs}));
  }
  session.print_result(train_text(data, runs, object), object);
  return runs.was_stopped ? kInterrupted : kDone;
}

}  // namespace

/// edgewise train: learns the labels of nodes or graphs.
void add_train(CLI::App& app, Session& session) {
  CLI::App& verb =
      *app.add_subcommand("train", "Train a model to label the nodes of a graph, or whole graphs such as molecules");
  auto arguments = std::make_shared<TrainArguments>();
  verb.add_option("dataset", arguments->sources.dataset, "A data set of the catalogue (see edgewise data list)");
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
  verb.add_option("--width", arguments->sources.head_width,
                  "Hidden units per attention head: sets --hidden to heads times this")
      ->check(integer_in(1, 65536));
  flags.add("training");
  start_group(verb, "General");
  verb.add_option("--config", arguments->sources.file, "JSON file with the whole job; flags override it");
  verb.add_flag("--print-config", arguments->is_print_config,
                "Print the configuration in force, with all defaults for the data at hand, and exit")
      ->check(true_or_false());
  flags.add_set_flag();
  add_examples(verb, {"edgewise train --edges friends.csv --nodes people.csv --label buys --out model.safetensors",
                      "edgewise train --molecules tested.csv --target solubility --out model.safetensors",
                      "edgewise train cora --model gat --runs 10"},
               kWhichDefaults);
  session.add_verb(verb, [arguments, &session] { return train_verb(*arguments, session); });
}

}  // namespace edgewise::app
