#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

/// @file
/// How our programs end when something is wrong: one line and an exit code.
namespace edgewise::app {

/// Exit codes, as documented in docs/command-line.md.
enum ExitCode : int {
  kDone = 0,
  kUnexpected = 1,
  kUsage = 2,
  kData = 3,
  kModel = 4,
  kNumerical = 5,
  kInterrupted = 130,  ///< Ctrl-C, after what was done has been saved.
};

struct Failure {
  int code = kUnexpected;
  std::string message;  ///< One line that `say` would not change.
};

/// What the exception that is being handled means; to be called in a `catch` block.
Failure current_failure();

/// Says the line "name: message" of the exception that is being handled, with `is_json` also as an object on standard
/// output, and returns its exit code.
int report_failure(std::string_view name, bool is_json) noexcept;

/// Runs a program and returns its exit code: what `body` returns, or that of the exception which ended it, after the
/// line "name: message" on standard error.
int run_program(const std::string& name, const std::function<int()>& body);

/// An argument that counts something. Throws UsageError, naming it, unless it is an integer of at least 1.
std::size_t count_argument(const std::string& name, const std::string& text);

/// The same of a number of threads, up to 1024.
int thread_argument(const std::string& text);

}  // namespace edgewise::app
