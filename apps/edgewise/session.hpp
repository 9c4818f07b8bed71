#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <memory>
#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/train/loop/part_holding.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "job_ranks.hpp"
#include "message.hpp"
#include "progress.hpp"

/// The command line. Each verb is one file with one function that adds it to the App; `main` runs the chosen one.
namespace edgewise::app {

/// What all verbs share.
struct Session {
  int threads = 0;  ///< 0: the default of OpenMP.
  double limit_factor = 1;  ///< For io::raise_limits.
  bool is_json = false;
  bool is_quiet = false;
  std::string command;  ///< As a shell takes it: "edgewise train cora".
  std::function<int()> run;  ///< Set by the chosen verb.
  const JobRanks* ranks = nullptr;  ///< While a verb runs.
  std::unique_ptr<Interrupt> interrupt;  ///< While a verb runs.
  std::unique_ptr<LastResort> last_resort;
  std::unique_ptr<Progress> progress;

  /// The parts of frozen networks are shared with the other processes; what has no room waits in $TMPDIR, if it is set.
  train::PartHolding parts() const;

  /// Adds `--threads`, `--json`, `--quiet` and `--raise-limits`, and runs `verb_run` when this verb is chosen. Its
  /// steps are shown, and Ctrl-C ends it within a second.
  void add_verb(CLI::App& verb, std::function<int()> verb_run);

  /// Prints the verb's result on standard output: `text`, or with `--json` the object as one line.
  void print_result(const std::string& text, const json::Value& object) const;

  /// Prints, in place of a result with this schema, that there is none yet. Returns the exit code.
  int stop_before_result(const std::string& schema) const;

  /// From now on, nothing that the verb does is given up because of Ctrl-C: it ends by itself, and soon.
  Observer end_orderly() const;

 private:
  int run_verb(const std::string& schema, const std::function<int()>& body);
};

/// Writes a line to standard error with `say`, unless `--quiet`.
void note(const Session& session, const std::string& line);

void add_bench(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_data(CLI::App& app, Session& session);
void add_evaluate(CLI::App& app, Session& session);
void add_explain(CLI::App& app, Session& session);
void add_inspect(CLI::App& app, Session& session);
void add_predict(CLI::App& app, Session& session);
void add_serve(CLI::App& app, Session& session);
void add_train(CLI::App& app, Session& session);
void add_tune(CLI::App& app, Session& session);
void add_version(CLI::App& app, Session& session);

}  // namespace edgewise::app
