#include "session.hpp"

#include "edgewise/core/parallel.hpp"
#include "flags.hpp"

namespace edgewise::app {

void Session::add_verb(CLI::App& verb, std::function<int()> verb_run) {
  start_group(verb, "General");
  verb.add_option("--threads", threads, "Number of threads; the results do not depend on it")
      ->check(integer_in(1, kMaxThreads))
      ->take_last();
  verb.add_option("--raise-limits", limit_factor,
                  "Multiply the limits on input files by this factor (docs/security.md)")
      ->check(any_number())
      ->take_last();
  verb.add_flag("--json", is_json, "Print one JSON object as the last line of standard output")
      ->check(true_or_false());
  verb.add_flag("--quiet,-q", is_quiet, "No progress on standard error")->check(true_or_false());
  verb.callback([this, verb_run = std::move(verb_run)] { run = verb_run; });
}

void Session::print_result(const std::string& text, const json::Value& object) const {
  is_json ? print_json(object) : print_text(text);
}

int Session::stop_before_result(const char* schema) const {
  print_result("interrupted before the first result", json::Object{{"schema", schema}, {"interrupted", true}});
  return kInterrupted;
}

void note(const Session& session, const std::string& line) {
  if (!session.is_quiet) say(line);
}

}  // namespace edgewise::app
