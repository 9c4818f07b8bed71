#pragma once

#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// A kind of source that data is read from: a row in a file of its own, in kinds/.
namespace edgewise::train {

/// What the graphs of a source are, which decides the defaults of a job.
enum class DataShape { network, graphs, molecules, collection, pairs };

using DataGroups = std::vector<DataGroup>;

/// A kind of source.
struct Source {
  std::string_view noun;  ///< "a table of molecules"
  /// The members of "data" that name it: at least one of them is given.
  std::vector<std::string_view> named_by;
  /// The groups of members that it takes, besides DataGroup::any and what names it.
  DataGroups takes;
  /// What a source that is named later does not keep of an earlier configuration, although it takes it.
  std::vector<std::string_view> replaces;
  /// What its graphs are, by "data" of a configuration.
  DataShape (*shape)(const json::Value& data);
  /// Throws UsageError for members that do not go together.
  void (*check)(const DataConfig& config);
  /// Reads what is requested. Throws UsageError for a request that is incomplete, DataError for errors in the files.
  Dataset (*read)(const DataConfig& request, const LoadOptions& options);
};

}  // namespace edgewise::train
