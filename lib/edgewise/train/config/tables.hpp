#pragma once

#include <array>
#include <string>
#include <string_view>

#include "edgewise/train/config/config.hpp"

/// @file
/// Tables that a job reads from files, but that a program may have in memory, as those in Python do
/// (io::TablesInMemory). A model keeps the path that says so.
namespace edgewise::train {

/// A member of "data" that is the file of a table.
struct TableMember {
  std::string_view name;
  std::string DataConfig::*path;
};

inline constexpr std::array kTableMembers = {
    TableMember{"edges", &DataConfig::edges},       TableMember{"nodes", &DataConfig::nodes},
    TableMember{"molecules", &DataConfig::molecules}, TableMember{"features", &DataConfig::features},
    TableMember{"graphs", &DataConfig::graphs},     TableMember{"texts", &DataConfig::texts}};

/// The path of such a table: "memory:nodes".
std::string in_memory(std::string_view member);

/// Throws UsageError, with what to give, if `data` has such a table of the model at `path` and it is not in memory now.
void check_are_files(const std::string& path, const DataConfig& data);

}  // namespace edgewise::train
