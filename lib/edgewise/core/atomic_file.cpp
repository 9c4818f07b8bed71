#include "edgewise/core/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "edgewise/core/error.hpp"

namespace edgewise {
namespace {

/// Removes the temporary file unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  void rename_to(const std::string& target) {
    if (std::rename(path_.c_str(), target.c_str()) != 0)
      throw DataError(fmt::format("{}: cannot be replaced: {}", target, std::strerror(errno)));
    renamed_ = true;
  }

 private:
  std::string path_;
  bool renamed_ = false;
};

void flush_to_disk(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!flushed) throw DataError(fmt::format("{}: cannot be flushed to the disk: {}", path, std::strerror(error)));
}

}  // namespace

void check_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw DataError(fmt::format("{}: is a directory, expected a file", path));
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  const char* problem = nullptr;
  if (!fs::exists(folder, ignored))
    problem = "No such file or directory";
  else if (!fs::is_directory(folder, ignored))
    problem = "Not a directory";
  else if (::access(folder.c_str(), W_OK | X_OK) != 0)
    problem = std::strerror(errno);
  if (problem != nullptr) throw DataError(fmt::format("{}: cannot be written: {}", path, problem));
}

void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write) {
  const std::string temporary_path = fmt::format("{}.{}.tmp", path, ::getpid());
  std::ofstream out(temporary_path, std::ios::binary | std::ios::trunc);
  if (!out) throw DataError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  TemporaryFile temporary(temporary_path);
  write(out);
  out.close();
  if (!out) throw DataError(fmt::format("{}: writing failed (is the disk full?)", path));
  flush_to_disk(temporary_path);
  temporary.rename_to(path);
}

}  // namespace edgewise
