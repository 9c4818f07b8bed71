#include "edgewise/core/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace edgewise {
namespace {

constexpr std::uintptr_t kLargePage = std::uintptr_t{1} << 21;

constexpr std::uint64_t kUnknown = std::uint64_t{1} << 63;

/// Nothing if the file does not exist or starts with a word.
std::optional<std::uint64_t> first_number(const char* file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

std::uint64_t less(std::uint64_t all, std::uint64_t used) { return all > used ? all - used : 0; }

}  // namespace

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::uint64_t available_memory() {
  std::uint64_t available = kUnknown;
  std::ifstream system("/proc/meminfo");
  for (std::string word; system >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == "MemAvailable:" && system >> kibibytes) available = kibibytes << 10;
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const std::uint64_t pages = first_number("/proc/self/statm").value_or(0);
    available = std::min(available, less(limit.rlim_cur, pages * page_bytes()));
  }
  const auto group = first_number("/sys/fs/cgroup/memory.max");
  const auto used = first_number("/sys/fs/cgroup/memory.current");
  if (group && used) available = std::min(available, less(*group, *used));
  return available;
}

double peak_rss_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;  // ru_maxrss is in KiB on Linux
}

void request_large_pages(void* data, std::size_t bytes) {
  const auto start = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (start + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t end = (start + bytes) / kLargePage * kLargePage;
  if (first >= end) return;
  // Only a hint: if it is refused, small pages work too.
  madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // NOLINT: an address within `data`
}

}  // namespace edgewise
