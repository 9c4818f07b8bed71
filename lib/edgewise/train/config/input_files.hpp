#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edgewise/train/config/data_config.hpp"
#include "edgewise/train/config/split_config.hpp"

namespace edgewise::train {

/// A file, with the flag or configuration member that gives it. An empty path means no file.
struct NamedFile {
  std::string name;  ///< "--out", "data.edges".
  std::string path;
};

/// The files that the data and the split of a job are read from.
std::vector<NamedFile> input_files(const DataConfig& data, const SplitConfig& split);

/// For what needs all edges in memory: throws UsageError that begins with `purpose` if the data is a frozen network.
void refuse_frozen(std::string_view purpose, const DataConfig& data);

/// A hash of the contents of the files, so that a later run can tell whether they have changed.
std::string fingerprint_of(const std::vector<NamedFile>& files);

}  // namespace edgewise::train
