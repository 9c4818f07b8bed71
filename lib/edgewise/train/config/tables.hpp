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
  /// The path, if it is in memory.
  const std::string& (*path)(const DataConfig& data);
};

inline constexpr std::array kTableMembers = {
    TableMember{"edges", [](const DataConfig& data) -> const std::string& { return data.edges.front(); }},
    TableMember{"nodes", [](const DataConfig& data) -> const std::string& { return data.nodes.front(); }},
    TableMember{"molecules", [](const DataConfig& data) -> const std::string& { return data.molecules; }},
    TableMember{"features", [](const DataConfig& data) -> const std::string& { return data.features; }},
    TableMember{"graphs", [](const DataConfig& data) -> const std::string& { return data.graphs; }},
    TableMember{"texts", [](const DataConfig& data) -> const std::string& { return data.texts; }}};

/// The path of such a table: "memory:nodes".
std::string in_memory(std::string_view member);

/// Throws UsageError, with what to give, if `data` has such a table of the model at `path` and it is not in memory now.
void check_are_files(const std::string& path, const DataConfig& data);

}  // namespace edgewise::train
