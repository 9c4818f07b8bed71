#include "edgewise/core/file_list.hpp"

#include <fmt/ranges.h>

#include "edgewise/core/input_file.hpp"

namespace edgewise {

FileList::FileList(std::string file) {
  if (!file.empty()) files_.push_back(std::move(file));
}

FileList::FileList(const std::vector<std::pair<std::string, std::string>>& named) {
  for (const auto& [name, file] : named) {
    names_.push_back(name);
    files_.push_back(file);
  }
}

FileList FileList::of(std::string_view name) const {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) files.push_back(files_[i]);
  return files;
}

const std::string& FileList::front() const {
  static const std::string kNone;
  return files_.empty() ? kNone : files_.front();
}

std::string FileList::text() const { return fmt::format("{}", fmt::join(files_, ", ")); }

std::optional<std::pair<std::string, std::string>> parse_named_file(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) return std::nullopt;
  if (text.find_first_of("/\\") < sign || is_there(text)) return std::nullopt;
  return std::pair(text.substr(0, sign), text.substr(sign + 1));
}

}  // namespace edgewise
