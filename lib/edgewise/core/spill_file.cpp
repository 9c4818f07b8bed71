#include "edgewise/core/spill_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"

namespace edgewise {
namespace {

std::uint64_t round_up(std::uint64_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }
std::uint64_t round_down(std::uint64_t bytes) { return bytes / page_bytes() * page_bytes(); }

/// The whole pages that these bytes lie in.
struct Pages {
  Pages(const void* data, std::size_t bytes) {
    const auto first = round_down(reinterpret_cast<std::uintptr_t>(data));
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
  for (const auto& [data, mapping] : mappings_) munmap(const_cast<std::byte*>(data), mapping.bytes);  // NOLINT
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
  take_space(size_ - begin);
  return begin;
}

void SpillFile::take_space(std::uint64_t bytes) {
  used_ += bytes;
  peak_ = std::max(peak_, used_);
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

std::string SpillFile::path() const { return fmt::format("/proc/self/fd/{}", file_); }

void SpillFile::request(std::uint64_t begin, std::size_t bytes) const {
  posix_fadvise(file_, static_cast<off_t>(begin), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
}

std::byte* SpillFile::map(std::size_t bytes) {
  const std::uint64_t begin = round_up(size_);
  bytes = round_up(bytes);
  if (ftruncate(file_, static_cast<off_t>(begin + bytes)) != 0) fail("a temporary file cannot be written");
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(begin));
  if (data == MAP_FAILED) fail("a temporary file cannot be mapped");
  size_ = begin + bytes;
  mappings_[static_cast<std::byte*>(data)] = {begin, bytes};
  return static_cast<std::byte*>(data);
}

std::uint64_t SpillFile::place_of(const std::byte* data) const {
  const auto mapping = std::prev(mappings_.upper_bound(data));
  return mapping->second.begin + static_cast<std::uint64_t>(data - mapping->first);
}

void SpillFile::claim(const void* data, std::size_t bytes) {
  const std::uint64_t begin = place_of(static_cast<const std::byte*>(data));
  do errno = posix_fallocate(file_, static_cast<off_t>(begin), static_cast<off_t>(bytes));
  while (errno == EINTR);
  if (errno != 0) fail("a temporary file cannot be written");
  take_space(bytes);
}

void SpillFile::drop(const void* data, std::size_t bytes) {
  used_ -= bytes;
  const std::uint64_t begin = place_of(static_cast<const std::byte*>(data)), end = begin + bytes;
  const std::uint64_t first = round_up(begin), last = round_down(end);
  if (first >= last) return;
  // A file system that cannot do this keeps the space until the end.
  static_cast<void>(fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                              static_cast<off_t>(last - first)));
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
