#pragma once

#include <string>
#include <vector>

#include "edgewise/train/jobs/config.hpp"

namespace edgewise::app {

/// A file, with the flag or configuration member that gives it. An empty path means no file.
struct NamedFile {
  std::string name;  ///< "--out", "data.edges".
  std::string path;
};

/// The files that a job reads.
std::vector<NamedFile> input_files(const train::DataConfig& data, const train::SplitConfig& split);

/// Likewise, with the configuration file and the model that training starts from.
std::vector<NamedFile> input_files(const train::Config& config, const std::string& config_file);

/// A hash of the contents of the files, so that a later run can tell whether they have changed.
std::string mark_of(const std::vector<NamedFile>& files);

/// Checks before any work that all outputs can be written. Throws as `check_writable` does, and UsageError when an
/// output is the same file as an input or another output, even under a different name: inputs are never replaced.
void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

}  // namespace edgewise::app
