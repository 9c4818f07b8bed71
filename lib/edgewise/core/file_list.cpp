#include "edgewise/core/file_list.hpp"

#include <fmt/ranges.h>

namespace edgewise {

FileList::FileList(std::string file) {
  if (!file.empty()) files_.push_back(std::move(file));
}

const std::string& FileList::front() const {
  static const std::string kNone;
  return files_.empty() ? kNone : files_.front();
}

std::string FileList::text() const { return fmt::format("{}", fmt::join(files_, ", ")); }

}  // namespace edgewise
