#pragma once

#include <string>
#include <string_view>

#include "edgewise/train/config/data_config.hpp"

/// @file
/// Tables that a job reads from files, but that a program may have in memory, as those in Python do
/// (io::TablesInMemory). A model keeps the path that says so.
namespace edgewise::train {

/// The path of a table in memory that is this member of "data": "memory:nodes".
std::string in_memory(std::string_view member);

/// Throws UsageError, with what to give, if `data` has such a table of the model at `path` and it is not in memory now.
void check_are_files(const std::string& path, const DataConfig& data);

}  // namespace edgewise::train
