#pragma once

#include <string>
#include <vector>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/config/input_files.hpp"

namespace edgewise::app {

/// The files that training reads: those of `train::input_files`, the configuration file, and the model to start from.
std::vector<train::NamedFile> input_files(const train::Config& config, const std::string& config_file);

/// Checks before any work that all outputs can be written. Throws as `check_writable` does, and UsageError when an
/// output is the same file as an input or another output, even under a different name: inputs are never replaced.
void check_outputs(const std::vector<train::NamedFile>& outputs, const std::vector<train::NamedFile>& inputs);

/// Writes a text atomically; nothing if no path was given.
void write_output(const std::string& path, const std::string& text);

}  // namespace edgewise::app
