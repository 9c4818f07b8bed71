#include "session.hpp"

#include <cstdlib>

#include "edgewise/core/parallel.hpp"
#include "flags.hpp"

namespace edgewise::app {
namespace {

/// "edgewise.train/1", "edgewise.data.split/1".
std::string schema_of(const CLI::App& verb) {
  std::string name = verb.get_name();
  for (const CLI::App* parent = verb.get_parent(); parent != nullptr; parent = parent->get_parent())
    name = parent->get_name() + "." + name;
  return name + "/1";
}

}  // namespace

void Session::add_verb(CLI::App& verb, std::function<int()> verb_run) {
  start_group(verb, "General");
  verb.add_option("--threads", threads, "Number of threads; the results do not depend on it")
      ->check(integer_in(1, kMaxThreads));
  verb.add_option("--raise-limits", limit_factor,
                  "Multiply the limits on input files by this factor (docs/security.md)")
      ->check(any_number());
  verb.add_flag("--json", is_json, "Print one JSON object as the last line of standard output")
      ->check(true_or_false());
  verb.add_flag("--quiet,-q", is_quiet, "No progress on standard error")->check(true_or_false());
  verb.callback([this, &verb, verb_run = std::move(verb_run)] {
    run = [this, schema = schema_of(verb), verb_run] { return run_verb(schema, verb_run); };
  });
}

int Session::run_verb(const std::string& schema, const std::function<int()>& body) {
  progress = std::make_unique<Progress>(is_quiet);
  interrupt = std::make_unique<Interrupt>();
  last_resort = std::make_unique<LastResort>([this, schema] {
    progress->finish();
    stop_before_result(schema);
  });
  const Observed observed({.is_over = [this] { return interrupt->is_overdue(); },
                           .on_step = [this](const WorkStep& step) { progress->show(step); }});
  try {
    const int code = body();
    progress->finish();
    return code;
  } catch (const Interrupted&) {
    last_resort->begin_orderly_end();
    progress->finish();
    return stop_before_result(schema);
  } catch (...) {
    progress->finish();
    throw;
  }
}

train::PartHolding Session::parts() const {
  const char* folder = std::getenv("TMPDIR");
  return {.folder = folder == nullptr ? "" : folder, .ranks = ranks == nullptr ? nullptr : ranks->holders()};
}

void Session::print_result(const std::string& text, const json::Value& object) const {
  if (progress) progress->finish();
  is_json ? print_json(object) : print_text(text);
}

int Session::stop_before_result(const std::string& schema) const {
  print_result("interrupted before the first result", json::Object{{"schema", schema}, {"interrupted", true}});
  return kInterrupted;
}

Observer Session::end_orderly() const {
  last_resort->begin_orderly_end();
  return {};
}

void note(const Session& session, const std::string& line) {
  if (session.is_quiet) return;
  if (session.progress) session.progress->finish();
  say(line);
}

}  // namespace edgewise::app
