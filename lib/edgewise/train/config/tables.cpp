#include "edgewise/train/config/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/memory_table.hpp"

namespace edgewise::train {

std::string in_memory(std::string_view member) { return fmt::format("memory:{}", member); }

void check_are_files(const std::string& path, const DataConfig& data) {
  std::vector<std::string> missing;
  const auto is_missing = [](const std::string& path, const std::string& table) {
    return (path == table || path.starts_with(table + ":")) && io::table_in_memory(path) == nullptr;
  };
  for (const json::Field<DataConfig>& field : data_fields()) {
    const std::string table = in_memory(field.name);
    const bool can_be = field.type == json::FieldType::table || field.type == json::FieldType::tables;
    if (!can_be) continue;
    json::Value named;
    named.set(field.name, field.write(data));
    const FileList files = json::Tables::read(named, field.name, {});
    if (std::ranges::any_of(files.files(), [&](const std::string& path) { return is_missing(path, table); }))
      missing.push_back(setting(fmt::format("data.{}", field.name)));
  }
  if (missing.empty()) return;
  throw UsageError(fmt::format("{}: the model was trained on tables in memory, which are not in its file: give {}",
                               path, fmt::join(missing, ", ")));
}

}  // namespace edgewise::train
