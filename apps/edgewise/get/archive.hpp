#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace edgewise::app {

/// Throws DataError: "LABEL: PROBLEM".
[[noreturn]] void refuse(const std::string& label, const std::string& problem);

/// What somebody downloaded: a folder, a zip, or a single file, any of them with files that are compressed by gzip.
/// (Other archives are for their own programs, which unpack them to a folder.)
class Archive {
 public:
  /// Throws DataError if there is no such file, or it is no archive that can be read, is damaged, encrypted, has too
  /// many files, or one whose name leads out of it.
  explicit Archive(const std::string& path);
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive();

  const std::string& path() const { return path_; }
  /// Whether it is a single file.
  bool is_file() const { return is_file_; }
  /// Names of the files, with their folders.
  const std::vector<std::string>& names() const { return names_; }
  /// The contents of a file, without gzip. Throws DataError if it is damaged, or larger than io::limits().text_bytes.
  std::string read(const std::string& name) const;

 private:
  struct Zip;

  std::string path_;
  bool is_file_ = false;
  std::vector<std::string> names_;
  std::unique_ptr<Zip> zip_;
};

}  // namespace edgewise::app
