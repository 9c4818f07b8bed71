#pragma once

#include <string>
#include <vector>

#include "edgewise/train/jobs/config.hpp"

namespace edgewise::app {

/// A file, and what on the command line or in the configuration names it; an empty path is none.
struct NamedFile {
  std::string name;  ///< "--out", "data.edges".
  std::string path;
};

/// The files that a job reads.
std::vector<NamedFile> input_files(const train::DataConfig& data, const train::SplitConfig& split);

/// A mark of what the files hold, by which a later run knows whether they are the same.
std::string mark_of(const std::vector<NamedFile>& files);

/// Looks before the work whether all outputs can be written. Throws as `check_writable` does, and UsageError when an
/// output is one of the inputs or another output, by whatever name: nothing that is read is replaced.
void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

}  // namespace edgewise::app
