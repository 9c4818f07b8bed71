#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace edgewise {

/// The files of a table: mostly one. Several, of one shape, are read one after the other. Those of the tables of
/// several kinds have the names of these, and may repeat.
class FileList {
 public:
  FileList() = default;
  FileList(std::string file);
  FileList(const char* file) : FileList(std::string(file)) {}
  FileList(std::vector<std::string> files) : files_(std::move(files)) {}
  /// Pairs of a name and a file.
  explicit FileList(const std::vector<std::pair<std::string, std::string>>& named);

  bool empty() const { return files_.empty(); }
  std::size_t size() const { return files_.size(); }
  const std::vector<std::string>& files() const { return files_; }
  /// One per file; none if the files have no names.
  const std::vector<std::string>& names() const { return names_; }
  bool has_names() const { return !names_.empty(); }
  /// Those of this name, in order.
  FileList of(std::string_view name) const;
  /// The first, or "" without any.
  const std::string& front() const;
  /// For messages: "a.csv, b.csv".
  std::string text() const;

  friend bool operator==(const FileList&, const FileList&) = default;

 private:
  std::vector<std::string> files_;
  std::vector<std::string> names_;
};

/// The name and the file of "people=people.csv"; nothing for another text, and if there is a file that is called so.
std::optional<std::pair<std::string, std::string>> parse_named_file(const std::string& text);

}  // namespace edgewise

/// As `FileList::text`.
template <>
struct fmt::formatter<edgewise::FileList> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const edgewise::FileList& files, Context& context) const {
    return fmt::formatter<std::string_view>::format(files.text(), context);
  }
};
