#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <string>

#include "edgewise/core/json.hpp"
#include "failure.hpp"
#include "message.hpp"

/// The command line. A verb is one file with one function that adds it to the App; `main` runs the one chosen.
namespace edgewise::app {

/// What all verbs share.
struct Session {
  int threads = 0;  ///< 0: what OpenMP would take.
  double limit_factor = 1;  ///< Of io::raise_limits.
  bool is_json = false;
  bool is_quiet = false;
  std::string command;  ///< As it was typed: "edgewise train cora".
  std::function<int()> run;  ///< Set by the verb that was chosen.

  /// Adds `--threads`, `--json`, `--quiet` and `--raise-limits`, and has `verb_run` run when this verb is chosen.
  void add_verb(CLI::App& verb, std::function<int()> verb_run);

  /// The verb's result: `text` for people, or with `--json` the object as one line; on standard output.
  void print_result(const std::string& text, const json::Value& object) const;
};

/// A line on standard error as `say` writes it, unless `--quiet`.
void note(const Session& session, const std::string& line);

void add_bench(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_data(CLI::App& app, Session& session);
void add_evaluate(CLI::App& app, Session& session);
void add_explain(CLI::App& app, Session& session);
void add_inspect(CLI::App& app, Session& session);
void add_predict(CLI::App& app, Session& session);
void add_train(CLI::App& app, Session& session);
void add_tune(CLI::App& app, Session& session);
void add_version(CLI::App& app, Session& session);

}  // namespace edgewise::app
