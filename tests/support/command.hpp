#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "edgewise/core/json.hpp"

namespace edgewise::test {

/// Exit code and output of a command.
struct Result {
  int code = 0;
  std::string out;
  std::string error;

  /// The last line of standard output, parsed.
  json::Value json() const {
    std::string text = out.substr(0, out.find_last_not_of('\n') + 1);
    const std::size_t line = text.rfind('\n');
    return json::parse(line == std::string::npos ? text : text.substr(line + 1), "standard output");
  }
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The lines of standard error without those of progress (" 40% epoch 8, ..., 0:07 left"), which depend on
/// the clock.
inline std::string without_progress(const std::string& error) {
  std::istringstream lines(error);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const bool is_progress = line.find("% ") == 3 && line.ends_with(" left");
    if (!is_progress) kept += line + (lines.eof() ? "" : "\n");
  }
  return kept;
}

/// Runs a shell command in `folder`. Its output goes through files there.
inline Result run_command(const std::filesystem::path& folder, const std::string& command) {
  const std::string full = "cd '" + folder.string() + "' && { " + command + "; } >out.txt 2>error.txt";
  const int status = std::system(full.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder / "out.txt"),
          without_progress(slurp(folder / "error.txt"))};
}

}  // namespace edgewise::test
