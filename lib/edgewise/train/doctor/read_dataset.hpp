#pragma once

#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

namespace edgewise::train {

struct Source;

/// Reads the data of a job from the source that it names (see source/sources.hpp), checks what the configuration says
/// about it, and notes what looks odd in what is to be learnt from. A node table defines the nodes: an edge to any
/// other node is an error. Throws UsageError if the configuration is incomplete or contradictory, DataError for errors
/// in the files.
Dataset read_dataset(const DataConfig& config, const LoadOptions& options = {});

/// The same from a given source, such as one that a program defines for its own files.
Dataset read_dataset(const Source& source, const DataConfig& config, const LoadOptions& options = {});

}  // namespace edgewise::train
