#include "edgewise/train/choose/train_runs.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/model/trained_model.hpp"

namespace edgewise::train {
namespace {

/// The job under way.
class RunLoop {
 public:
  RunLoop(const Config& config, const Dataset& data, const RunFiles& files, const RunHooks& hooks)
      : config_(config),
        data_(data),
        files_(files),
        hooks_(hooks),
        fit_(hooks.fit),
        path_(checkpoint_path(config, files)) {
    if (has_state(config)) fit_.checkpoint = path_;
    fit_.checkpoint_at_end = !files.checkpoint.empty() && config.runs == 1;
    fit_.on_checkpoint = [this] { runs_.has_checkpoint = true; };
  }

  TrainedRuns train() {
    if (!files_.resume.empty()) resume();
    while (static_cast<std::int64_t>(runs_.set.size()) < config_.runs && !runs_.was_stopped) train_next();
    return std::move(runs_);
  }

 private:
  void note(const std::string& line) const {
    if (hooks_.note) hooks_.note(line);
  }

  /// Takes the finished runs of the checkpoint. If it also has the state of an unfinished one, the next run resumes it.
  void resume() {
    const CheckpointContent content = read_checkpoint(files_.resume);
    runs_.set = RunSet::from_note(files_.resume, content.note, config_, data_);
    if (content.epoch && !has_state(config_))
      throw UsageError(
          fmt::format("{}: the checkpoint is of a run of one model; continue with that model", files_.resume));
    if (content.epoch || content.note.value.find(kChoiceMember) != nullptr) fit_.resume = files_.resume;
    if (content.epoch && *content.epoch >= config_.training.epochs)
      note(fmt::format("{}: the checkpoint is at epoch {} already: of {}, none is left to train", files_.resume,
                       *content.epoch, counted(static_cast<std::size_t>(config_.training.epochs), "epoch")));
    if (runs_.set.empty()) return;
    note(fmt::format("{}: continues after {}", files_.resume, counted(runs_.set.size(), "run")));
    save_best();
  }

  void train_next() {
    const auto index = static_cast<std::int64_t>(runs_.set.size());
    if (hooks_.on_start) hooks_.on_start(index, config_.training.seed + static_cast<std::uint64_t>(index));
    if (!fit_.checkpoint.empty()) fit_.checkpoint_note = runs_.set.to_note(config_, data_);
    std::optional<Run> run = run_unless_given_up(index);
    std::optional<Observed> undisturbed;
    if (fit_.asks_to_stop()) {
      if (hooks_.on_stop) hooks_.on_stop();
      undisturbed.emplace(Observer{});
    }
    if (!run) return end_unfinished();
    fit_.resume.clear();
    runs_.checkpoint_problem = run->report.checkpoint_problem;
    const std::vector<std::string> notes = run->notes;
    if (run->report.was_stopped)
      end_stopped(std::move(*run));
    else
      end_finished(std::move(*run));
    if (index == 0)
      for (const std::string& line : notes) note(line);
  }

  /// Nothing if it was given up because it did not stop soon enough.
  std::optional<Run> run_unless_given_up(std::int64_t index) try {
    return run_job(config_, data_, index, fit_);
  } catch (const Interrupted&) {
    return std::nullopt;
  }

  void end_finished(Run&& run) {
    const Report report = run.report;
    // Saved before it is reported, whatever happens to later runs.
    if (runs_.set.add(data_, std::move(run))) save_best();
    runs_.was_stopped = fit_.asks_to_stop() && static_cast<std::int64_t>(runs_.set.size()) < config_.runs;
    save_set();
    if (hooks_.on_end) hooks_.on_end(report);
  }

  void end_stopped(Run&& run) {
    if (!runs_.set.empty()) return end_unfinished();
    runs_.was_stopped = true;
    if (!has_state(config_)) save_set();
    const Report report = run.report;
    runs_.set.add(data_, std::move(run));
    save_best();
    if (hooks_.on_end) hooks_.on_end(report);
  }

  /// The state of a run that has one has been saved.
  void end_unfinished() {
    runs_.was_stopped = true;
    if (!has_state(config_)) save_set();
    if (!runs_.set.empty()) note(fmt::format("run {} was interrupted and is not counted", runs_.set.size() + 1));
  }

  void save_best() {
    if (!files_.model.empty() && runs_.set.best().trained) save_trained_model(files_.model, *runs_.set.best().trained);
  }

  /// Saves the finished runs, which `fit` does not.
  void save_set() {
    const bool is_due = config_.runs > 1 && (runs_.was_stopped || !files_.checkpoint.empty());
    if (!is_due || path_.empty()) return;
    save_checkpoint(path_, runs_.set.to_note(config_, data_));
    runs_.has_checkpoint = true;
  }

  const Config& config_;
  const Dataset& data_;
  const RunFiles& files_;
  const RunHooks& hooks_;
  JobHooks fit_;
  std::string path_;
  TrainedRuns runs_;
};

}  // namespace

bool has_state(const Config& config) { return config.ensemble == 1 && !config.model.is_baseline(); }

void check_state(const Config& config, const RunFiles& files) {
  const bool is_asked = !(files.resume.empty() && files.checkpoint.empty());
  if (is_asked && config.runs == 1 && !has_state(config))
    throw UsageError(
        fmt::format("{}, {}: a single run of an ensemble or a baseline cannot be resumed; ask for several runs "
                    "({})",
                    setting("checkpoint"), setting("resume"), setting("training.runs")));
}

std::string checkpoint_path(const Config& config, const RunFiles& files) {
  if (!files.checkpoint.empty() || files.model.empty() || (config.runs == 1 && !has_state(config)))
    return files.checkpoint;
  return files.model + ".checkpoint";
}

TrainedRuns train_runs(const Config& config, const Dataset& data, const RunFiles& files, const RunHooks& hooks) {
  if (data.pairs && config.runs > 1) throw UsageError("training.runs: a model for pairs is one run");
  return RunLoop(config, data, files, hooks).train();
}

}  // namespace edgewise::train
