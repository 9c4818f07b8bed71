#pragma once

#include <cstddef>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Checks of the members of "data" in a configuration: which go together, and which mean something for the data.
namespace edgewise::train {

/// How many of the sources of which there may be one are given: a set of the catalogue, a graph file, an edge list, a
/// table of molecules, a TU folder.
std::ptrdiff_t count_sources(const DataConfig& config);

/// Throws UsageError if no source is given, or several that do not go together.
void check_sources(const DataConfig& config);

/// Throws UsageError for members that only molecules have.
void refuse_molecule_members(const DataConfig& config);

/// Throws UsageError or DataError for members of `config` that have no meaning for what was read according to it, such
/// as columns of files that are not given.
void check_members_in_use(const DataConfig& config, const JobData& data);

/// Throws UsageError or DataError for columns that should be categorical, but do not exist or are read as numbers.
void check_categorical(const DataConfig& config, const JobData& data);

}  // namespace edgewise::train
