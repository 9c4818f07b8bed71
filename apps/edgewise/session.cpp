#include "session.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "edgewise/core/error.hpp"
#include "flags.hpp"

namespace edgewise::app {
namespace {

constexpr std::int64_t kMostThreads = 1024;

}  // namespace

void Session::add_verb(CLI::App& verb, std::function<int()> verb_run) {
  verb.add_option("--threads", threads, "Threads to use; the results do not depend on it")
      ->check(integer_in(1, kMostThreads))
      ->take_last();
  verb.add_flag("--json", is_json, "One JSON object as the last line of standard output");
  verb.add_flag("--quiet,-q", is_quiet, "No progress on standard error");
  verb.callback([this, verb_run = std::move(verb_run)] { run = verb_run; });
}

void Session::print_result(const std::string& text, const json::Value& object) const {
  fmt::print("{}\n", is_json ? json::dump(object) : text);
  if (std::fflush(stdout) == 0) return;
  throw DataError(fmt::format("standard output: writing failed: {}", std::strerror(errno)));
}

void note(const Session& session, const std::string& line) {
  if (!session.is_quiet) fmt::print(stderr, "{}\n", line);
}

}  // namespace edgewise::app
