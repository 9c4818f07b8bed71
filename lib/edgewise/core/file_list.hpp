#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace edgewise {

/// The files of a table: mostly one. Several, of one shape, are read one after the other.
class FileList {
 public:
  FileList() = default;
  FileList(std::string file);
  FileList(const char* file) : FileList(std::string(file)) {}
  FileList(std::vector<std::string> files) : files_(std::move(files)) {}

  bool empty() const { return files_.empty(); }
  void clear() { files_.clear(); }
  std::size_t size() const { return files_.size(); }
  const std::vector<std::string>& files() const { return files_; }
  /// The first, or "" without any.
  const std::string& front() const;
  /// For messages: "a.csv, b.csv".
  std::string text() const;

  friend bool operator==(const FileList&, const FileList&) = default;

 private:
  std::vector<std::string> files_;
};

}  // namespace edgewise

/// As `FileList::text`.
template <>
struct fmt::formatter<edgewise::FileList> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const edgewise::FileList& files, Context& context) const {
    return fmt::formatter<std::string_view>::format(files.text(), context);
  }
};
