#include "edgewise/core/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"

namespace edgewise {
namespace {

thread_local CopiesOfPipes* copies_of_thread = nullptr;

[[noreturn]] void fail_to_read(const std::string& path) {
  throw DataError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
}

/// Closes the file.
class Closed {
 public:
  explicit Closed(int file) : file_(file) {}
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;
  ~Closed() { ::close(file_); }

 private:
  int file_;
};

void copy_all(int file, const std::string& path, SpillFile& copy) {
  const Closed closed(file);
  std::vector<char> bytes(std::size_t{1} << 20);
  for (std::uint64_t done = 0;;) {
    report_step("reading " + path, static_cast<double>(done));
    const ::ssize_t count = ::read(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(path);
    if (count == 0) return;
    copy.append(bytes.data(), static_cast<std::size_t>(count));
    done += static_cast<std::uint64_t>(count);
  }
}

}  // namespace

CopiesOfPipes::CopiesOfPipes() : outer_(copies_of_thread) {
  if (outer_ == nullptr) copies_of_thread = this;
}

CopiesOfPipes::~CopiesOfPipes() {
  if (outer_ == nullptr) copies_of_thread = nullptr;
}

const SpillFile& CopiesOfPipes::copy_of(const std::string& path, const Pipe& pipe) {
  if (const auto found = copies_.find(pipe); found != copies_.end()) return found->second;
  std::error_code ignored;
  SpillFile& copy = copies_.try_emplace(pipe, std::filesystem::temp_directory_path(ignored).string()).first->second;
  try {
    const int file = path == kStandardInput ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) fail_to_read(path);
    copy_all(file, path, copy);
  } catch (...) {
    copies_.erase(pipe);
    throw;
  }
  return copy;
}

std::string path_to_open(const std::string& path) {
  const bool is_standard = path == kStandardInput;
  struct stat status {};
  const bool is_found = is_standard ? ::fstat(STDIN_FILENO, &status) == 0 : ::stat(path.c_str(), &status) == 0;
  if (is_found && copies_of_thread != nullptr && (is_standard || S_ISFIFO(status.st_mode)))
    return copies_of_thread->copy_of(path, {status.st_dev, status.st_ino}).path();
  return is_standard ? "/dev/stdin" : path;
}

std::ifstream open_file(const std::string& path) {
  std::error_code ignored;
  const std::string opened = path_to_open(path);
  if (std::filesystem::is_directory(opened, ignored))
    throw DataError(fmt::format("{}: is a directory, expected a file", path));
  std::ifstream file(opened, std::ios::binary);
  if (!file) fail_to_read(path);
  return file;
}

bool is_regular_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace edgewise
