#include "process_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace edgewise::app {
namespace {

/// The number of bytes in a line such as "VmRSS:     1234 kB".
std::optional<std::int64_t> read_kilobytes(const char* file, const std::string& name) {
  std::ifstream in(file);
  std::string word;
  while (in >> word) {
    std::int64_t kilobytes = 0;
    if (word == name + ":" && in >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

/// Resets VmHWM to the current resident size.
bool reset_high_water_mark() {
  std::ofstream out("/proc/self/clear_refs");
  out << "5" << std::flush;
  return out.good();
}

}  // namespace

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 25);  // the largest value that glibc accepts
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

PeakMemory::PeakMemory() {
  malloc_trim(0);
  if (reset_high_water_mark()) start_ = read_kilobytes("/proc/self/status", "VmRSS");
}

std::optional<std::int64_t> PeakMemory::bytes() const {
  if (!start_) return std::nullopt;
  const std::optional<std::int64_t> peak = read_kilobytes("/proc/self/status", "VmHWM");
  if (!peak) return std::nullopt;
  return std::max<std::int64_t>(0, *peak - *start_);
}

}  // namespace edgewise::app
