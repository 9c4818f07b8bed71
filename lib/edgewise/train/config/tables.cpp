#include "edgewise/train/config/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/memory_table.hpp"

namespace edgewise::train {

std::string in_memory(std::string_view member) { return fmt::format("memory:{}", member); }

void check_are_files(const std::string& path, const DataConfig& data) {
  std::vector<std::string> missing;
  for (const TableMember& table : kTableMembers)
    if (table.path(data) == in_memory(table.name) && io::table_in_memory(table.path(data)) == nullptr)
      missing.push_back(setting(fmt::format("data.{}", table.name)));
  if (missing.empty()) return;
  throw UsageError(fmt::format("{}: the model was trained on tables in memory, which are not in its file: give {}",
                               path, fmt::join(missing, ", ")));
}

}  // namespace edgewise::train
