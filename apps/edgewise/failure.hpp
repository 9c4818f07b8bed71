#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

/// @file
/// How the programs report a failure: one line and an exit code.
namespace edgewise::app {

/// Exit codes, as documented in docs/command-line.md.
enum ExitCode : int {
  kDone = 0,
  kUnexpected = 1,
  kUsage = 2,
  kData = 3,
  kModel = 4,
  kNumerical = 5,
  kInterrupted = 130,  ///< Ctrl-C, after the work done so far has been saved.
};

struct Failure {
  int code = kUnexpected;
  std::string message;  ///< One line, already in the form that `say` writes.
};

/// The failure that the current exception stands for. To be called in a `catch` block.
Failure current_failure();

/// Reports the current exception as the line "name: message" on standard error, with `is_json` also as an object on
/// standard output, and returns its exit code.
int report_failure(std::string_view name, bool is_json) noexcept;

/// Runs a program and returns its exit code: the result of `body`, or the exit code of the exception that it threw. An
/// exception is reported as "name: message" on standard error.
int run_program(const std::string& name, const std::function<int()>& body);

/// Parses a count. Throws UsageError, with the name of the argument, unless it is an integer of at least 1.
std::size_t count_argument(const std::string& name, const std::string& text);

/// Parses a number of threads, at most 1024.
int thread_argument(const std::string& text);

}  // namespace edgewise::app
