#include "outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <ostream>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"

namespace edgewise::app {
namespace {

/// Whether two paths lead to the same file.
bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first{}, second{};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/// Whether two paths that can be written lead to the same file, or would if it existed.
bool is_same_output(const std::string& a, const std::string& b) {
  return is_same_file(a, b) || (!is_there(a) && !is_there(b) && written_file(a) == written_file(b));
}

}  // namespace

std::vector<train::NamedFile> input_files(const train::Config& config, const std::string& config_file) {
  std::vector<train::NamedFile> files = train::input_files(config.data, config.split);
  files.push_back({"--config", config_file});
  files.push_back({"--from", config.from});
  files.push_back({"--negatives", train::negatives_file(config.training)});
  return files;
}

void check_outputs(const std::vector<train::NamedFile>& outputs, const std::vector<train::NamedFile>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const train::NamedFile& output = outputs[i];
    if (output.path.empty()) continue;
    if (output.path == "-") throw UsageError(fmt::format("{}: expected the name of a file, got -", output.name));
    check_writable(output.path);
    for (const train::NamedFile& input : inputs)
      if (!input.path.empty() && is_same_file(output.path, input.path))
        throw UsageError(
            fmt::format("{}: {} is also read ({}); give another name", output.name, output.path, input.name));
    for (std::size_t j = 0; j < i; ++j)
      if (!outputs[j].path.empty() && is_same_output(output.path, outputs[j].path))
        throw UsageError(
            fmt::format("{}: {} is also written by {}; give another name", output.name, output.path, outputs[j].name));
  }
}

void write_output(const std::string& path, const std::string& text) {
  if (!path.empty()) write_file_atomically(path, [&](std::ostream& out) { out << text; });
}

}  // namespace edgewise::app
