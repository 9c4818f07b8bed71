#include "edgewise/core/folder.hpp"

#include <dirent.h>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "edgewise/core/error.hpp"

namespace edgewise {

std::optional<std::vector<std::string>> names_in_folder(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) return std::nullopt;
  std::vector<std::string> names;
  while (const dirent* const entry = ::readdir(folder.get())) names.emplace_back(entry->d_name);
  return names;
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw DataError(fmt::format("{}: cannot create the folder: {}", path, error.message()));
}

}  // namespace edgewise
