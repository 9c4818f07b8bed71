#include "edgewise/core/spill_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "edgewise/core/error.hpp"

namespace edgewise {
namespace {

constexpr std::size_t kPage = 4096;

/// The whole pages that these bytes lie in.
struct Pages {
  Pages(const void* data, std::size_t bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(data) / kPage * kPage;
    begin = reinterpret_cast<void*>(first);
    size = reinterpret_cast<std::uintptr_t>(data) + bytes - first;
  }
  void* begin;
  std::size_t size;
};

}  // namespace

SpillFile::SpillFile(const std::string& folder) : folder_(folder.empty() ? "." : folder) {
  std::string path = (std::filesystem::path(folder_) / ".edgewise-XXXXXX").string();
  file_ = mkostemp(path.data(), O_CLOEXEC);
  if (file_ < 0) fail("a temporary file cannot be created");
  unlink(path.c_str());
}

SpillFile::~SpillFile() {
  for (const Mapping& mapping : mappings_) munmap(mapping.data, mapping.bytes);
  close(file_);
}

void SpillFile::fail(const char* what) const {
  throw DataError(fmt::format("{}: {}: {}", folder_, what, std::strerror(errno)));
}

std::uint64_t SpillFile::append(const void* data, std::size_t bytes) {
  const std::uint64_t begin = size_;
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t written = pwrite(file_, at, bytes, static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("a temporary file cannot be written");
    at += written;
    bytes -= static_cast<std::size_t>(written);
    size_ += static_cast<std::uint64_t>(written);
  }
  return begin;
}

void SpillFile::read(std::uint64_t begin, void* data, std::size_t bytes) const {
  for (char* at = static_cast<char*>(data); bytes > 0;) {
    const ssize_t count = pread(file_, at, bytes, static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("a temporary file cannot be read");
    at += count;
    bytes -= static_cast<std::size_t>(count);
    begin += static_cast<std::uint64_t>(count);
  }
}

void SpillFile::request(std::uint64_t begin, std::size_t bytes) const {
  posix_fadvise(file_, static_cast<off_t>(begin), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
}

std::byte* SpillFile::map(std::size_t bytes) {
  const std::uint64_t begin = (size_ + kPage - 1) / kPage * kPage;
  bytes = (bytes + kPage - 1) / kPage * kPage;
  errno = posix_fallocate(file_, static_cast<off_t>(begin), static_cast<off_t>(bytes));
  if (errno != 0) fail("a temporary file cannot be written");
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(begin));
  if (data == MAP_FAILED) fail("a temporary file cannot be mapped");
  size_ = begin + bytes;
  mappings_.push_back({data, bytes});
  return static_cast<std::byte*>(data);
}

void give_back_pages(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  const Pages pages(data, bytes);
  // Pages that have changed stay in the cache of the system until they are written, and leave it as it needs room.
  madvise(pages.begin, pages.size, MADV_DONTNEED);
}

void request_pages(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  const Pages pages(data, bytes);
  madvise(pages.begin, pages.size, MADV_WILLNEED);
}

}  // namespace edgewise
