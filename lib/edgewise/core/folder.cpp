#include "edgewise/core/folder.hpp"

#include <dirent.h>

#include <memory>

namespace edgewise {

std::optional<std::vector<std::string>> names_in_folder(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) return std::nullopt;
  std::vector<std::string> names;
  while (const dirent* const entry = ::readdir(folder.get())) names.emplace_back(entry->d_name);
  return names;
}

}  // namespace edgewise
