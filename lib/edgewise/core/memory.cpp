#include "edgewise/core/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdint>

namespace edgewise {
namespace {

constexpr std::uintptr_t kLargePage = std::uintptr_t{1} << 21;

}  // namespace

double peak_rss_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;  // ru_maxrss is in KiB on Linux
}

void ask_for_large_pages(void* data, std::size_t bytes) {
  const auto start = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (start + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t end = (start + bytes) / kLargePage * kLargePage;
  if (first >= end) return;
  // Of use or not: where it is refused, small pages do.
  madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // NOLINT: an address within `data`
}

}  // namespace edgewise
